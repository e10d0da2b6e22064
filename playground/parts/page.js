// The bar of tabs: the address says which is shown; a tab that comes into view hears of it.
const { docscoreIsShown, docscoreStep, docscoreTabs } = (() => {
  /** @type {Record<string, string>} */
  const TABS = { "": "pair", "one-pair": "pair", pair: "pair", "test-set": "testset", documents: "testset", compare: "compare", review: "review", api: "api" };
  const root = document.documentElement;

  const mark = () => {
    for (const link of docscoreFindAll(document, ".tabs a")) {
      if (link.dataset.to === root.dataset.tab) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
  };

  /** The tab that the address names, if the page has it. */
  const named = () => {
    const tab = TABS[location.hash.slice(1).split("=")[0]];
    return document.querySelector(`.tabs [data-to="${tab}"]`) ? tab : undefined;
  };

  const show = () => {
    const tab = named();
    if (!tab || root.dataset.tab === tab) return;
    root.dataset.tab = tab;
    mark();
    document.dispatchEvent(new CustomEvent("docscore-tab", { detail: tab }));
  };

  root.dataset.tab = named() ?? "pair";
  window.addEventListener("hashchange", show);

  // One popover at a time: a choice from a menu, Escape, and a click or the focus elsewhere close it; the focus returns to
  // its button, unless it went elsewhere.
  for (const kind of ["click", "focusin", "keydown"]) {
    document.addEventListener(kind, (event) => {
      for (const pop of docscoreFindAll(document, "details.pop[open]")) {
        const isWithin = event.composedPath().includes(pop), isChoice = kind === "click" && docscoreAround(event, ".menu li");
        if (event instanceof KeyboardEvent ? event.key !== "Escape" : isWithin && !isChoice) continue;
        pop.removeAttribute("open");
        if (isWithin || document.activeElement === document.body) docscoreFind(pop, "summary").focus();
      }
    });
  }
  const isShown = (/** @type {string} */ tab) => root.dataset.tab === tab;

  /** From the files of a tab to a result: Back returns to the files. */
  const step = (/** @type {string} */ tab, /** @type {string} */ address) => {
    if (!isShown(tab)) return;
    history.replaceState({ files: true }, "", address);
    history.pushState(null, "", address);
  };

  // The keys of the tab that is shown, in a dialog.
  const keys = () => docscoreFind(document, "dialog.keys", HTMLDialogElement);
  const showKeys = () => {
    for (const part of keys().querySelectorAll("section")) part.hidden = !part.dataset.of?.includes(root.dataset.tab ?? "");
    keys().showModal();
  };
  document.addEventListener("keydown", (event) => {
    if (event.key !== "?" || event.ctrlKey || event.metaKey || event.altKey || docscoreAround(event, "input:not([type=checkbox], [type=radio]), textarea, select")) return;
    event.preventDefault();
    if (keys().open) keys().close();
    else showKeys();
  });
  document.addEventListener("click", (event) => {
    if (docscoreAround(event, ".keys-open")) showKeys();
    else if (docscoreAround(event, ".keys button") || event.target === document.querySelector("dialog.keys[open]")) keys().close();
  });
  return { docscoreIsShown: isShown, docscoreStep: step, docscoreTabs: mark };
})();

// The screen for one pair is alive before gradio is: it asks the server as gradio does. Gradio then gives it its place.
const { docscoreFirst, docscoreAdopt } = (() => {
  const first = () => docscoreFind(document, "#first");

  /** @type {(name: string) => Server.Ask<unknown, unknown>} */
  const asks = (name) => async (asked) => {
    const component = window.gradio_config.components.find(({ props }) => props.server_fns?.includes(name));
    const body = JSON.stringify({ data: asked, component_id: component?.id, fn_name: name, session_hash: "first" });
    const answer = await fetch("gradio_api/component_server/", { method: "POST", headers: { "Content-Type": "application/json" }, body });
    if (!answer.ok) throw new Error(answer.statusText);
    return answer.json();
  };

  return {
    docscoreFirst: () => {
      const theme = new URLSearchParams(location.search).get("__theme"), isDark = matchMedia("(prefers-color-scheme: dark)").matches;
      document.body.classList.toggle("dark", theme === "dark" || (theme !== "light" && isDark));
      docscorePair(first(), new Proxy(/** @type {Server.Functions} */ ({}), { get: (_, name) => asks(String(name)) }));
    },
    /** Once gradio shows the place; what was typed stays, and where one was. */
    docscoreAdopt: (/** @type {HTMLElement} */ place) => {
      if (getComputedStyle(place).visibility === "hidden") { requestAnimationFrame(() => docscoreAdopt(place)); return; }
      const screen = docscoreFind(first(), ".screen"), { activeElement } = document;
      const scrolled = docscoreFindAll(screen, "textarea, .score").map((part) => ({ part, top: part.scrollTop, left: part.scrollLeft }));
      place.replaceChildren(screen);
      first().remove();
      for (const { part, top, left } of scrolled) part.scrollTo(left, top);
      if (activeElement instanceof HTMLElement && screen.contains(activeElement)) activeElement.focus({ preventScroll: true });
    },
  };
})();

/** @typedef {HTMLInputElement | HTMLSelectElement} OptionInput */
/** @typedef {{words: string, show: () => void, takeBack: () => void}} Chip */
/** @template {object} O @typedef {ReturnType<typeof docscoreOptions<O>>} Options */

/**
 * The options of scoring within an element: their values, and the same set; only those that a metric uses are shown.
 * @template {object} O  the values by the names of the options
 * @param {HTMLElement} root
 */
const docscoreOptions = (root) => {
  const options = () => [...root.querySelectorAll("[data-option]")].filter((input) => input instanceof HTMLInputElement || input instanceof HTMLSelectElement);
  const nameOf = (/** @type {HTMLElement} */ input) => input.dataset.option ?? "";
  const radio = (/** @type {OptionInput} */ input) => (input instanceof HTMLInputElement && input.type === "radio" ? input : null);
  const taken = () => options().filter((input) => radio(input)?.checked ?? true);
  const value = (/** @type {OptionInput} */ input) => {
    if (input instanceof HTMLInputElement && input.type === "number") return input.valueAsNumber;
    return radio(input) && ["true", "false"].includes(input.value) ? input.value === "true" : input.value;
  };
  const isDefault = (/** @type {OptionInput} */ input) => (radio(input) ? input.dataset.default === "true" : input.value === input.dataset.default);
  const set = (/** @type {OptionInput} */ input, /** @type {unknown} */ to) => {
    const choice = radio(input);
    if (choice) choice.checked = input.value === String(to);
    else if (input.value !== String(to)) [input.value, input.title] = [String(to), ""];
  };
  const open = (/** @type {HTMLElement} */ input) => () => { root.setAttribute("open", ""); input.focus(); };
  const isOf = (/** @type {HTMLElement} */ label, /** @type {string} */ metric) => label.dataset.metrics?.split(",").includes(metric);
  // A schema, where the options have one: the text of a file, whose name is the title of its input.
  const schema = root.querySelector("[data-option=schema]");
  if (schema instanceof HTMLInputElement) {
    const file = docscoreFind(root, "input[type=file]", HTMLInputElement);
    docscoreFind(root, ".schema button").addEventListener("click", () => file.click());
    for (const kind of ["input", "change"]) file.addEventListener(kind, (event) => event.stopPropagation());
    file.addEventListener("change", async () => {
      const [chosen] = file.files ?? [];
      file.value = "";
      if (!chosen) return;
      [schema.value, schema.title] = [await chosen.text(), chosen.name];
      root.dispatchEvent(new Event("input"));
    });
  }
  const drawSchema = () => {
    if (!(schema instanceof HTMLInputElement)) return;
    docscoreFind(root, ".schema span").textContent = schema.value && (schema.title || "in use");
    const metric = docscoreFind(root, "[value=anls_star]"), label = radio(/** @type {OptionInput} */ (metric)) ? metric.nextSibling : metric;
    if (label) label.textContent = schema.value ? "Typed score" : "ANLS*";
  };
  const isOfOthers = (/** @type {OptionInput} */ input) => Boolean(input.closest("[data-metrics][hidden]"));
  return {
    // The values of the options that the metric uses; the server has the defaults of the others.
    read: () => /** @type {O} */ (Object.fromEntries(taken().filter((input) => !isOfOthers(input)).map((input) => [nameOf(input), value(input)]))),
    take: (/** @type {Partial<O>} */ values) => {
      const wanted = new Map(Object.entries(values));
      for (const input of options()) if (wanted.has(nameOf(input))) set(input, wanted.get(nameOf(input)));
    },
    show: (/** @type {string} */ metric) => {
      for (const label of docscoreFindAll(root, "[data-metrics]")) label.hidden = !isOf(label, metric);
      drawSchema();
    },
    // The options that are shown and not the defaults: name, words, and what opens each.
    changed: () => taken().filter((input) => !isDefault(input) && !isOfOthers(input)).map((input) => ({
      name: nameOf(input),
      words: input instanceof HTMLSelectElement ? input.selectedOptions[0].text : input === schema ? `by schema ${input.title}`.trim() : input.dataset.words ?? `${nameOf(input)} ${input.value}`,
      show: open(input === schema ? docscoreFind(root, ".schema button") : input),
    })),
    // What opens the popover at an option.
    open,
    // What is not as by default, as chips: the words lead to where it is chosen, and × takes it back.
    chips: (/** @type {HTMLElement} */ place, /** @type {Chip[]} */ chips) => place.replaceChildren(...chips.map(({ words, show, takeBack }) => {
      const lead = docscoreButton("", words, () => {}), close = docscoreButton("", "×", () => { takeBack(); docscoreFind(root, "summary").focus(); });
      lead.addEventListener("click", (event) => { event.stopPropagation(); show(); });  // a click elsewhere would close it again
      close.setAttribute("aria-label", `Undo: ${words}`);
      return docscoreElement("span", "chip", lead, close);
    })),
    reset: (/** @type {string} */ name) => {
      for (const input of options()) {
        const choice = radio(input);
        if (nameOf(input) !== name) continue;
        if (choice) choice.checked = isDefault(choice);
        else input.value = input.dataset.default ?? "";
      }
    },
  };
};

const DOCSCORE_FILE = /^[^:]*\w\.[a-z]\w*(:|,| and )/;  // its name before what is said of it

// A message as a sentence: with a capital, where it does not begin with the name of a file, and a full stop.
const docscoreSentence = (/** @type {string} */ text) => (DOCSCORE_FILE.test(text) ? text : text[0].toUpperCase() + text.slice(1)) + (/[.…!?]$/.test(text) ? "" : ".");

// Questions to the server: each says which window asks and which of its questions it is; only the newest is answered.
const { docscoreAnswer, docscoreAsker, docscoreRunner } = (() => {
  /** @returns {Server.Refusal} */
  const noAnswer = () => ({ refused: navigator.onLine ? "The server does not respond." : "You are offline.", kind: "silent" });
  const name = crypto.randomUUID?.() ?? String(Math.random());
  let number = 0;  // of the newest question of this window
  /** @type {(name: string, number: number) => Server.Window} */
  const windowOf = (...parts) => parts;

  /**
   * What the server says to a question, or that it did not answer.
   * @template Q, A
   * @param {Server.Ask<Q, A>} ask
   * @param {Q} question
   */
  const docscoreAnswer = async (ask, question) => {
    try { return (await ask(question)) ?? noAnswer(); } catch { return noAnswer(); }
  };

  /**
   * Asks one kind of question; the answer to an older one is null.
   * @template {Server.Request} Q
   * @template A
   * @param {Server.Ask<Q, A>} ask
   */
  const docscoreAsker = (ask) => {
    let asked = 0, wanted = 0;  // the newest question, and that whose answer is still wanted
    return {
      forget: () => { wanted = 0; },
      window: () => windowOf(name, asked),
      ask: async (/** @type {Q} */ question) => {
        const mine = asked = wanted = ++number;
        const found = await docscoreAnswer(ask, { ...question, window: windowOf(name, mine) });
        return mine === wanted ? found : null;
      },
    };
  };

  /** @param {object} found @returns {found is Server.Running} */
  const isRunning = (found) => "running" in found;
  const isSilent = (/** @type {object} */ found) => "kind" in found && found.kind === "silent";

  /**
   * Runs of one kind, such as those of a test set: each takes the place of the one before.
   * @template {Server.Request} Q
   * @template {object} R
   * @param {string} kind
   * @param {Server.Ask<Q, R | Server.Running>} begin
   * @param {Server.Functions} server
   */
  const docscoreRunner = (kind, begin, server) => {
    const TRIES = 3, PAUSE = 1000;  // how often a silent server is asked how far it is, and milliseconds between
    let newest = 0;
    const window_ = () => windowOf(`${name} ${kind}`, newest);
    return {
      /**
       * What the server says at the end of a run, null if it is not the newest any more; how far it is goes to `show`.
       * @param {Q} question
       * @param {(share: number, text: string) => void} show
       * @returns {Promise<R | Server.Refusal | null>}
       */
      run: async (question, show) => {
        const mine = newest = ++number, asked = { window: window_() };
        let found = await docscoreAnswer(begin, { ...question, ...asked }), isBegun = false;
        for (let silent = 0; isRunning(found) || (isBegun && isSilent(found) && ++silent < TRIES);) {
          if (mine !== newest) return null;
          if (isRunning(found)) { [isBegun, silent] = [true, 0]; show(found.share, found.text); }
          else await new Promise((resolve) => { setTimeout(resolve, PAUSE); });
          found = await docscoreAnswer(/** @type {Server.Ask<Server.Request, R | Server.Running>} */ (server.progress), asked);
        }
        return mine === newest ? found : null;
      },
      stop: () => docscoreAnswer(server.stop, { window: window_() }),
    };
  };
  return { docscoreAnswer, docscoreAsker, docscoreRunner };
})();

// Copies a text, and its button says so for some seconds; in some frames a page may not copy.
const docscoreCopy = (() => {
  const SAID = 3000;  // milliseconds
  return async (/** @type {HTMLElement} */ button, /** @type {string} */ text) => {
    try { await navigator.clipboard.writeText(text); button.textContent = "Copied"; } catch { button.textContent = "Copying is blocked"; }
    setTimeout(() => { button.textContent = "Copy"; }, SAID);
  };
})();
document.addEventListener("click", (event) => {
  const button = docscoreAround(event, "[data-copy]");
  if (button) docscoreCopy(button, button.parentElement?.nextElementSibling?.textContent ?? "");
});

/** Save a JSON text, or one of lines of JSON, as a file. */
const docscoreDownload = (/** @type {string} */ name, /** @type {string} */ text) => {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: "application/json" }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
};

/** Buttons of a menu that save the schema in use, and that by which the score is higher. */
const docscoreSchemas = (/** @type {string} */ used, /** @type {Server.WhatIf[]} */ whatIfs) => {
  const suggested = whatIfs.map(({ options }) => options.what_if?.schema).find(Boolean);
  return Object.entries({ "Schema in use as JSON": used, "Suggested schema as JSON": suggested ?? "" })
    .filter(([, text]) => text).map(([words, text]) => docscoreElement("li", "", docscoreButton("", words, () => docscoreDownload("schema.json", text))));
};

// The tab for programs: the address that the visitor sees, which a server behind a proxy does not know, and the name of
// the tool that agents find there.
const docscoreApi = async (/** @type {HTMLElement} */ element) => {
  const address = (location.origin + location.pathname).replace(/\/+$/, "");
  for (const place of element.querySelectorAll(".api-address")) place.textContent = address;
  for (const block of element.querySelectorAll(".api-block")) {
    const button = docscoreButton("page-button api-copy", "Copy", () => docscoreCopy(button, docscoreFind(block, "code").textContent));
    block.append(button);
  }
  const part = docscoreFind(element, ".api-mcp");
  try {
    const answer = await fetch(`${address}/gradio_api/mcp/schema`);
    if (!answer.ok) throw new Error(answer.statusText);
    /** @type {{name: string, meta: {mcp_type: string}}[]} */
    const schema = await answer.json();
    docscoreFind(part, ".api-tool").textContent = schema.filter((tool) => tool.meta.mcp_type === "tool").map((tool) => tool.name).join(", ");
  } catch {
    part.textContent = "MCP is not available: this server lacks the package mcp.";
  }
  docscoreFind(element, ".api").dataset.ready = "";
};
