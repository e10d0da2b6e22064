// Keys and links of the score tree. Everything works without this but for the arrows and the copied path.
(() => {
  const rows = (tree) => [...tree.querySelectorAll(".anls-row:not(.anls-header)")].filter((row) => row.checkVisibility());

  const show = (row) => {
    for (let part = row.parentElement; part; part = part.parentElement) {
      if (part.tagName === "DETAILS") part.open = true;
    }
    row.focus();
    row.scrollIntoView({ block: "nearest" });
  };

  const isLoss = (row) => row.querySelector(".anls-lost") && (row.tagName !== "SUMMARY" || /missing|extra/.test(row.dataset.status));

  const toLoss = (tree, row, step) => {
    const all = [...tree.querySelectorAll(".anls-row:not(.anls-header)")];
    for (let at = all.indexOf(row) + step; all[at]; at += step) {
      if (isLoss(all[at]) && !insideLoss(all[at])) return show(all[at]);
    }
  };

  const insideLoss = (row) => {  // a part that is missing as a whole is one loss
    const above = (row.tagName === "SUMMARY" ? row.parentElement : row).parentElement.closest("details");
    return above && /missing|extra/.test(above.dataset.status);
  };

  const keys = {
    n: (all, at) => toLoss(all[at].closest(".anls-tree"), all[at], 1),
    p: (all, at) => toLoss(all[at].closest(".anls-tree"), all[at], -1),
    ArrowDown: (all, at) => all[at + 1]?.focus(),
    ArrowUp: (all, at) => all[at - 1]?.focus(),
    ArrowRight: (all, at) => { if (all[at].tagName === "SUMMARY") all[at].parentElement.open = true; },
    ArrowLeft: (all, at) => { if (all[at].tagName === "SUMMARY") all[at].parentElement.open = false; },
    c: (all, at) => all[at].dataset.path && navigator.clipboard?.writeText(all[at].dataset.path).catch(() => {}),
  };

  document.addEventListener("keydown", (event) => {
    const row = event.target.closest?.(".anls-tree .anls-row");
    if (!row || event.ctrlKey || event.metaKey || event.altKey || !keys[event.key]) return;
    event.preventDefault();
    const all = rows(row.closest(".anls-tree"));
    keys[event.key](all, all.indexOf(row));
  });
})();

// A tree within which arrow keys move is one stop of the Tab key: the row that had the focus last.
(() => {
  const PARTS = ".anls-row:not(.anls-header)";
  window.docscoreOneStop = (container) => {
    const parts = [...container.querySelectorAll(PARTS)];
    const stop = parts.find((part) => part === document.activeElement) ?? parts.find((part) => part.checkVisibility());
    for (const part of parts) part.tabIndex = part === stop ? 0 : -1;
    container.dataset.oneStop = "";
  };
  document.addEventListener("focusin", (event) => {
    const part = event.target.closest?.(PARTS), container = part?.closest("[data-one-stop]");
    if (!container || part.tabIndex === 0) return;
    for (const other of container.querySelectorAll("[tabindex='0']")) if (other.matches(PARTS)) other.tabIndex = -1;
    part.tabIndex = 0;
  });
  for (const kind of ["toggle", "change"]) {  // the stop may be hidden now
    document.addEventListener(kind, (event) => {
      const container = event.target.closest?.("[data-one-stop]"), stop = [...container?.querySelectorAll("[tabindex='0']") ?? []].find((part) => part.matches(PARTS));
      if (container && !stop?.checkVisibility()) window.docscoreOneStop(container);
    }, true);
  }
})();

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
