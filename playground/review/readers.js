// Verdicts of a file for a review that already has some: take them over, or compare them as a second reader's verdicts.

import { answerTo } from "../parts/asking.js";
import { uploaded } from "../parts/uploads.js";
import { printable, sentenceOf } from "../parts/words.js";
import { decisionsOf } from "./given.js";

/** @import { Worklist } from "./worklist.js" */
/** @typedef {[string, () => void]} Act  the action of a notice, with the words of its button */
/**
 * @typedef {object} ReadersPage  the page around the verdicts
 * @property {Server.Functions} server
 * @property {Worklist} state
 * @property {(title: string, detail?: string, acts?: Act[]) => void} notice
 * @property {() => void} drawAll
 * @property {(mode: string) => void} setMode
 * @property {() => void} run  reviews again
 */

export class Readers {
  constructor(/** @type {ReadersPage} */ page) {
    this.page = page;
    /** @type {Act} */
    this.close = ["Close", () => page.notice("")];
  }

  /** Ask the visitor what to do with the verdicts of a file. */
  offer(/** @type {File} */ file) {
    this.page.notice(`${printable(file.name)} holds verdicts.`, "Yours stay in either case.", [
      ["Take them over at open places", () => this.takeOver(file)],
      ["Compare them with mine", () => this.compare(file)],
      this.close,
    ]);
  }

  async takeOver(/** @type {File} */ file) {
    const { state, notice, run } = this.page;
    notice("");
    try {
      state.extra.verdicts = await uploaded(file);
      run();
    } catch (error) {
      this.refuse(file, "taken over", error);
    }
  }

  refuse(/** @type {File} */ file, /** @type {string} */ what, /** @type {unknown} */ error) {
    const why = sentenceOf(error instanceof Error ? error.message : String(error));
    this.page.notice(`${printable(file.name)} was not ${what}.`, why, [this.close]);
  }

  /** Show the agreement with the verdicts here, and list the places where they differ. */
  async compare(/** @type {File} */ file) {
    const { server, state, notice, drawAll, setMode } = this.page;
    if (!state.result) return;
    const { run } = state.result;
    notice("Comparing …");
    try {
      const other = await uploaded(file);
      const found = await answerTo(server.compare_readers, { run, verdicts: state.asText(), other });
      if ("refused" in found) {
        this.refuse(file, "compared", found.refused);
        return;
      }
      state.second = new Map(decisionsOf(found.differing));
      drawAll();
      const [title, ...detail] = found.text.split(/(?<=\.) /);
      const { size } = state.second;
      const look = () => {
        notice("");
        setMode("readers");
      };
      const words = size === 1 ? "Look at the place" : `Look at the ${size.toLocaleString("en")} places`;
      notice(title, detail.join(" "), size ? [[words, look], this.close] : [this.close]);
    } catch (error) {
      this.refuse(file, "compared", error);
    }
  }
}
