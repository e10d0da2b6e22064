// The bar of tabs: the address says which is shown; a tab that comes into view hears of it.
(() => {
  const TABS = { "": "pair", "one-pair": "pair", pair: "pair", "test-set": "testset", documents: "testset", compare: "compare", api: "api" };
  const root = document.documentElement;

  const mark = () => {
    for (const link of document.querySelectorAll(".tabs a")) {
      if (link.dataset.to === root.dataset.tab) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
  };

  const show = () => {
    const tab = TABS[location.hash.slice(1).split("=")[0]];
    if (!tab || root.dataset.tab === tab) return;
    root.dataset.tab = tab;
    mark();
    document.dispatchEvent(new CustomEvent("docscore-tab", { detail: tab }));
  };

  root.dataset.tab = TABS[location.hash.slice(1).split("=")[0]] ?? "pair";
  window.addEventListener("hashchange", show);
  window.docscoreIsShown = (tab) => root.dataset.tab === tab;
  window.docscoreTabs = mark;

  // One popover at a time: a click elsewhere or Escape closes it.
  document.addEventListener("click", (event) => {
    for (const pop of document.querySelectorAll("details.pop[open]")) if (!pop.contains(event.target)) pop.open = false;
  });
  document.addEventListener("keydown", (event) => {
    const pop = event.key === "Escape" && document.querySelector("details.pop[open]");
    if (!pop) return;
    pop.open = false;
    pop.querySelector("summary").focus();
  });
})();

// The options of scoring within an element: their values, and the same set; only those that a metric uses are shown.
window.docscoreOptions = (root) => {
  const options = () => [...root.querySelectorAll("[data-option]")];
  const taken = () => options().filter((input) => input.type !== "radio" || input.checked);
  const value = (input) => {
    if (input.type === "checkbox") return input.checked;
    if (input.type === "number") return input.valueAsNumber;
    return ["true", "false"].includes(input.value) ? input.value === "true" : input.value;
  };
  const isDefault = (input) => (input.type === "radio" ? input.dataset.default === "true" : input.value === input.dataset.default);
  const set = (input, to) => {
    if (input.type === "radio") input.checked = input.value === String(to);
    else input[input.type === "checkbox" ? "checked" : "value"] = to;
  };
  const labels = (metric) => (label) => label.dataset.metrics.split(",").includes(metric);
  return {
    read: () => Object.fromEntries(taken().map((input) => [input.dataset.option, value(input)])),
    take: (values) => { for (const input of options()) if (input.dataset.option in values) set(input, values[input.dataset.option]); },
    show: (metric) => { for (const label of root.querySelectorAll("[data-metrics]")) label.hidden = !labels(metric)(label); },
    // The options that are shown and not the defaults: name and words.
    changed: () => taken().filter((input) => !isDefault(input) && !input.closest("[hidden]"))
      .map((input) => [input.dataset.option, input.dataset.words ?? `${input.dataset.option} ${input.value}`]),
    reset: (name) => {
      for (const input of options()) {
        if (input.dataset.option !== name) continue;
        if (input.type === "radio") input.checked = isDefault(input);
        else input.value = input.dataset.default;
      }
    },
  };
};

const DOCSCORE_FILE = /^[^:]*\w\.[a-z]\w*(:|,| and )/;  // its name before what is said of it

// A message as a sentence: with a capital, where it does not begin with the name of a file, and a full stop.
window.docscoreSentence = (text) => (DOCSCORE_FILE.test(text) ? text : text[0].toUpperCase() + text.slice(1)) + (/[.…!?]$/.test(text) ? "" : ".");

// Questions to the server: each says which window asks and which of its questions it is; only the newest is answered.
(() => {
  const noAnswer = () => ({ refused: navigator.onLine ? "The server does not answer." : "This computer is offline.", kind: "silent" });
  const name = crypto.randomUUID?.() ?? String(Math.random());
  let number = 0;  // of the newest question of this window

  // What the server says to a question, or that it did not answer.
  window.docscoreAnswer = async (ask, question) => {
    try { return (await ask(question)) ?? noAnswer(); } catch { return noAnswer(); }
  };

  // Asks one kind of question; the answer to an older one is null.
  window.docscoreAsker = (ask) => {
    let asked = 0, wanted = 0;  // the newest question, and that whose answer is still wanted
    return {
      forget: () => { wanted = 0; },
      window: () => [name, asked],
      ask: async (question) => {
        const mine = asked = wanted = ++number;
        const found = await window.docscoreAnswer(ask, { ...question, window: [name, mine] });
        return mine === wanted ? found : null;
      },
    };
  };

  // Runs of one kind, such as those of a test set: each takes the place of the one before.
  window.docscoreRunner = (kind, begin, server) => {
    const TRIES = 3, PAUSE = 1000;  // how often a silent server is asked how far it is, and milliseconds between
    let newest = 0;
    const window_ = () => [`${name} ${kind}`, newest];
    return {
      // What the server says at the end of a run, null if it is not the newest any more; how far it is goes to `show`.
      run: async (question, show) => {
        const mine = newest = ++number, asked = { window: window_() };
        let found = await window.docscoreAnswer(begin, { ...question, ...asked }), isBegun = false;
        for (let silent = 0; found.running || (isBegun && found.kind === "silent" && ++silent < TRIES);) {
          if (mine !== newest) return null;
          if (found.running) { [isBegun, silent] = [true, 0]; show(found.share, found.text); }
          else await new Promise((resolve) => { setTimeout(resolve, PAUSE); });
          found = await window.docscoreAnswer(server.progress, asked);
        }
        return mine === newest ? found : null;
      },
      stop: () => window.docscoreAnswer(server.stop, { window: window_() }),
    };
  };
})();

// The tab for programs: the address that the visitor sees, which a server behind a proxy does not know, and the name of
// the tool that agents find there.
window.docscoreApi = async (element) => {
  const address = (location.origin + location.pathname).replace(/\/+$/, "");
  for (const place of element.querySelectorAll(".api-address")) place.textContent = address;
  for (const block of element.querySelectorAll(".api-block")) {
    const button = document.createElement("button");
    Object.assign(button, { type: "button", className: "page-button api-copy", textContent: "Copy" });
    button.addEventListener("click", async () => {
      try { await navigator.clipboard.writeText(block.querySelector("code").textContent); button.textContent = "Copied"; }
      catch { button.textContent = "Not allowed here"; }  // as in some frames
    });
    block.append(button);
  }
  const part = element.querySelector(".api-mcp");
  try {
    const answer = await fetch(`${address}/gradio_api/mcp/schema`);
    if (!answer.ok) throw new Error(answer.statusText);
    const tools = (await answer.json()).filter((tool) => tool.meta.mcp_type === "tool").map((tool) => tool.name);
    part.querySelector(".api-tool").textContent = tools.join(", ");
  } catch {
    part.textContent = "This server has no MCP: it needs the package mcp.";
  }
  element.querySelector(".api").dataset.ready = "";
};
