// Requests to the server. Each names its window and has a number in the window; only the newest gets an answer.

export const PATIENCE = 300; // milliseconds until work reports that it is still going on; also in page.css
const TRIES = 3; // how often a silent server is asked for the progress of a run
const PAUSE = 1000; // milliseconds between these requests

/** @returns {Server.Refusal} */
export const noAnswer = () => ({
  refused: navigator.onLine ? "The server does not respond." : "You are offline.",
  kind: "silent",
});

const windowName = globalThis.crypto?.randomUUID?.() ?? String(Math.random());
let lastNumber = 0; // the number of the newest request of this window

/**
 * Return the server's answer to a request, or the refusal "silent" if it did not answer.
 * @template Q, A
 * @param {Server.Ask<Q, A>} ask
 * @param {Q} question
 */
export const answerTo = async (ask, question) => {
  try {
    return (await ask(question)) ?? noAnswer();
  } catch {
    return noAnswer();
  }
};

/**
 * Mark the element of a result as busy until the work for it has ended.
 * @template T
 * @param {Element} place
 * @param {Promise<T>} work
 */
export const busy = async (place, work) => {
  place.setAttribute("aria-busy", "true");
  try {
    return await work;
  } finally {
    place.removeAttribute("aria-busy");
  }
};

/**
 * Sends requests of one kind; the answer to an older request is null.
 * @template {Server.Request} Q
 * @template A
 */
export class Asker {
  /**
   * @param {Server.Ask<Q, A>} ask
   * @param {Element | null} place  the element of the answer, which is busy until the answer comes
   */
  constructor(ask, place = null) {
    this.server = ask;
    this.place = place;
    this.asked = 0; // the number of the newest request
    this.wanted = 0; // the number of the request whose answer is still needed
  }

  forget() {
    this.wanted = 0;
    this.place?.removeAttribute("aria-busy");
  }

  /** @type {() => Server.Window} */
  window() {
    return [windowName, this.asked];
  }

  async ask(/** @type {Q} */ question) {
    const mine = (this.asked = this.wanted = ++lastNumber);
    this.place?.setAttribute("aria-busy", "true");
    const found = await answerTo(this.server, { ...question, window: this.window() });
    if (mine !== this.wanted) return null;
    this.place?.removeAttribute("aria-busy");
    return found;
  }
}

/** @param {object} found @returns {found is Server.Running} */
const isRunning = (found) => "running" in found;

/** @type {(found: object) => boolean} */
const isSilent = (found) => "kind" in found && found.kind === "silent";

/** @type {(found: object) => boolean} */
const isGone = (found) => "kind" in found && found.kind === "gone";

/**
 * Runs of one kind, such as scoring a test set. Each run replaces the previous one.
 * @template {Server.Request} Q
 * @template {object} R
 */
export class Runner {
  /**
   * @param {string} kind
   * @param {Server.Ask<Q, R | Server.Running>} begin
   * @param {Pick<Server.Functions, "progress" | "stop">} server
   * @param {number} pause  milliseconds until a silent server is asked again
   */
  constructor(kind, begin, server, pause = PAUSE) {
    this.name = `${windowName} ${kind}`;
    this.begin = begin;
    this.server = server;
    this.pause = pause;
    this.newest = 0;
  }

  /** @type {() => Server.Window} */
  window() {
    return [this.name, this.newest];
  }

  /**
   * Return the server's answer at the end of a run, null if a newer run has begun; `show` is called with the progress.
   * @param {Q} question
   * @param {(share: number, text: string) => void} show
   * @returns {Promise<R | Server.Refusal | null>}
   */
  async run(question, show) {
    const mine = (this.newest = ++lastNumber);
    const asked = { window: this.window() };
    const progress = /** @type {Server.Ask<Server.Request, R | Server.Running>} */ (this.server.progress);
    const begin = () => answerTo(this.begin, { ...question, ...asked });
    let found = await begin();
    let [isBegun, isAgain] = [false, false];
    for (let silent = 0; isRunning(found) || (isBegun && isSilent(found) && ++silent < TRIES);) {
      if (mine !== this.newest) return null;
      if (isRunning(found)) {
        [isBegun, silent] = [true, 0];
        show(found.share, found.text);
      } else {
        await new Promise((resolve) => {
          setTimeout(resolve, this.pause);
        });
      }
      found = await answerTo(progress, asked);
      if (!isGone(found) || isAgain) continue;
      isAgain = true; // the server was restarted meanwhile
      found = await begin();
    }
    return mine === this.newest ? found : null;
  }

  stop() {
    return answerTo(this.server.stop, { window: this.window() });
  }

  /** Stop a run; its answer is null. */
  leave() {
    this.stop();
    this.newest = 0;
  }
}
