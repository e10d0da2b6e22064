// The screen for several systems: takes files and options, asks for the comparison, opens documents and follows links.

/** What of a result is shown, as it stands in the address. @typedef {{document: string, find: string, pair: number | null, worse: string, seg: string}} ComparisonView */

/** @typedef {Server.SchemaOptions & {metric: string, parse: string, missing: string, skip: boolean}} ComparisonOptions */

const docscoreCompare = (/** @type {HTMLElement} */ root, /** @type {Server.Functions} */ server) => {
  const PAUSE = 300, PATIENCE = 400;  // milliseconds until changed options are taken, and until it is said that a run goes on
  const MOST_BESIDE = 3, MOST_WITH_STRIPS = 6;  // systems
  const NAMES = ["base", "new", "text"];  // of the systems of the example
  const PLAIN = { document: "", find: "", pair: null, worse: "", seg: "1" };

  const screen = docscoreFind(root, ".screen"), part = docscoreParts(screen, ".cmp-");
  /** @type {Server.Upload[]} */
  const examples = JSON.parse(screen.dataset.examples ?? "[]");
  /** @type {Options<ComparisonOptions>} */
  const options = docscoreOptions(part("options"));
  const narrow = matchMedia("(max-width: 1200px)");
  const runs = docscoreRunner("compare", server.compare_files, server);
  const documents = docscoreAsker(server.open_document);
  const panes = Object.fromEntries(["first", "fields", "documents", "opened"].map((name) => [name, docscorePane(part(name))]));
  const find = part("find", HTMLInputElement), unfold = docscoreFind(part("unfold"), "input", HTMLInputElement);
  const worse = part("worse", HTMLSelectElement), one = part("one", HTMLSelectElement);  // "2 0": the third system than the first
  const box = new DropBox(docscoreFind(screen, ".drop"), server, {
    isPair: false, examples, verb: "Compare", run: (chosen) => begin(chosen),
    allowed: () => { const { missing, skip } = options.read(); return { missing, skip }; },
    allow: (option) => { options.take(option); drawChips(); },
  });

  /** @type {Pick<Server.CompareRequest, "references" | "predictions" | "names" | "reading"> | null} */
  let files = null;
  /** @type {Server.Comparison | null} */
  let result = null;
  /** @type {ComparisonView} */
  let view = { ...PLAIN };
  let sought = { field: "", cause: "" };  // what of the next document that is opened is brought into view
  /** @type {number | null} */
  let opened = null;  // the number of the document that is open
  let timer = 0, patience = 0, newest = 0;  // the number of the run whose answer is wanted

  const setStatus = (/** @type {string} */ text) => { part("status").textContent = text; };

  // What is asked for

  const request = (/** @type {NonNullable<typeof files>} */ chosen) => {
    const { metric, parse, missing, skip, ...whatIf } = options.read();
    return { ...chosen, metric, parse: parse || null, missing, skip, what_if: whatIf };
  };

  /** The options of a request that was answered before. */
  const takeOptions = (/** @type {Server.CompareRequest} */ { metric, parse, missing, skip, what_if: whatIf }) => {
    options.take({ metric, parse: parse ?? "", missing, skip, ...whatIf });
    drawChips();
  };

  const drawChips = () => {
    const metric = docscoreFind(part("options"), "select", HTMLSelectElement);
    options.show(metric.value);
    options.chips(part("chips"), options.changed().map(({ name, words, show }) => ({
      words, show, takeBack: () => { options.reset(name); drawChips(); run(); },
    })));
  };

  /** Compare files that were chosen; among the example's one system writes text around its JSON. */
  const begin = (/** @type {Chosen} */ { truth, predictions, reading }) => {
    const isExample = truth?.path === examples[0].path;
    files = { references: truth?.path ?? null, predictions: predictions.map(({ path }) => path), names: isExample ? NAMES : [], reading };
    options.take({ parse: isExample ? "repair" : "parse" in reading ? "" : options.read().parse });
    drawChips();
    view = { ...PLAIN };
    run();
  };

  // A run, and what is said while and after it

  const notice = (/** @type {string} */ title, detail = "", /** @type {[string, () => void][]} */ acts = [], /** @type {number | null} */ share = null) => {
    docscoreNotice(part, title, detail, acts, share);
    setOld(Boolean(title) && result !== null);
  };

  const setOld = (/** @type {boolean} */ isOld) => {
    part("result").toggleAttribute("data-stale", isOld);
    part("result").inert = isOld;
  };

  const run = async () => {
    clearTimeout(timer);
    if (!files) return;
    const isFirst = result === null;
    const show = (/** @type {number} */ share, /** @type {string} */ text) => {
      clearTimeout(patience);
      if (isFirst) box.busy(text || "Comparing …", share, runs.stop);
      else notice("Comparing …", text, [["Cancel", runs.stop]], share);
    };
    if (!isFirst) { setState("shown"); notice(""); setOld(true); }
    clearTimeout(patience);
    patience = setTimeout(() => show(0, ""), isFirst ? 0 : PATIENCE);
    const mine = ++newest, found = await runs.run(request(files), show);
    if (!found || mine !== newest) return;
    clearTimeout(patience);
    box.idle();
    if (!("refused" in found)) draw(found);
    else if (isFirst) box.say(found.kind === "stopped" ? "" : `Not compared: ${docscoreSentence(found.refused)}`);
    else refuse(found);
  };

  /** What is said of a request that was not answered; the result before it stays, as an old one. */
  const refuse = (/** @type {Server.Refusal} */ found) => {
    /** @type {Record<string, [string, () => void]>} */
    const { changed, again, keep } = { changed: ["Change the files", changeFiles], again: ["Try again", run], keep: ["Keep this result", restore] };
    if (found.kind === "stopped") { restore(); return; }
    notice("Not compared.", `${docscoreSentence(found.refused)} The previous comparison is shown below.`,
      [...(found.kind === "gone" ? [changed] : found.kind === "input" ? [changed, ...mends()] : [again]), keep]);
  };

  /** The files and options of the result, which is not old. */
  const restore = () => {
    if (!result) return;
    const { references, predictions, names, reading } = result.asked;
    files = { references, predictions, names, reading };
    takeOptions(result.asked);
    setState("shown");
    notice("");
  };

  /** Options that let rows without a prediction or with faults pass, where they are not chosen yet. */
  const mends = () => {
    const { missing, skip } = options.read();
    /** @type {[string, () => void][]} */
    const found = [];
    if (missing === "error") found.push(["Score missing predictions 0", () => change({ missing: "zero" })]);
    if (!skip) found.push(["Leave out faulty rows", () => change({ skip: true })]);
    return found;
  };

  const change = (/** @type {Partial<ComparisonOptions>} */ values) => { options.take(values); drawChips(); run(); };

  /** Whether the drop box is shown, or the result; the options are in both. */
  const setState = (/** @type {string} */ state) => {
    docscoreSetState(screen, state, part("options"), docscoreFind(screen, "[data-do=review]"));
  };

  const changeFiles = () => {
    newest += 1;
    runs.stop();
    clearTimeout(patience);
    notice("");
    setState("empty");
    if (files) box.takeAgain(files, restore);
  };

  // The result

  const draw = (/** @type {Server.Comparison} */ found) => {
    if (screen.dataset.state === "empty" && !location.hash.includes("=")) docscoreStep("compare", "#compare");
    result = found;
    restore();
    fit();
    setStatus("");
    drawSetUp(found);
    docscoreComparison.draw(screen, found, (id) => hashOf({ ...PLAIN, document: id }));
    docscoreFind(screen, "#compare-python").textContent = found.python;
    docscoreFind(part("pair"), "ul").replaceChildren(...found.systems.map(({ name }, at) => docscoreElement("li", "", docscoreButton("", name, () => openPair(at)))));
    const names = found.systems.map(({ name }) => name), others = names.flatMap((name, at) => names.flatMap((other, than) => (at === than ? [] : [[`${name} worse than ${other}`, `${at} ${than}`]])));
    worse.replaceChildren(...[["all", ""], ...others].map(([label, value]) => new Option(label, value)));
    one.replaceChildren(...names.map((name, at) => new Option(name, String(at))));
    setView({ worse: view.worse });
    part("remedies").replaceChildren(...found.verdict.remedies.map(({ label, options: values }) =>
      docscoreButton("btn tint", label, () => change({ ...values.what_if, ...values.reading }))));
    drawDocuments();
    panes.first.fresh();
    panes.fields.fresh();
    keepAddress();
    if (view.document) open();
    else if (document.activeElement === document.body && docscoreIsShown("compare")) part("verdict").focus();
  };

  /** Whether panes stand below each other, and documents have strips of dots. */
  const fit = () => {
    const count = result?.systems.length ?? 0;
    screen.toggleAttribute("data-stacked", narrow.matches || count > MOST_BESIDE);
    screen.toggleAttribute("data-strips", !narrow.matches && count <= MOST_WITH_STRIPS);
  };

  const drawSetUp = (/** @type {Server.Comparison} */ { asked, systems, count, downloads }) => {
    const soft = (/** @type {string} */ text) => docscoreElement("span", "soft", text);
    const truth = asked.references ? [docscoreElement("code", "", docscoreFileName(asked.references)), soft(" × ")] : [];
    part("what").replaceChildren(...truth, `${systems.length} systems`, soft(` · ${count.toLocaleString("en")} document${count === 1 ? "" : "s"} each`));
    part("export").replaceChildren(...downloads.map(({ label, name, path }) => {
      const link = docscoreElement("a", "", label);
      link.href = `gradio_api/file=${path}`;
      link.download = name;
      return docscoreElement("li", "", link);
    }));
    const held = document.activeElement instanceof HTMLElement ? document.activeElement.dataset.system : undefined;
    part("names").replaceChildren(...asked.predictions.map((path, at) => {
      const input = docscoreElement("input", "field");
      Object.assign(input, { value: asked.names[at], maxLength: 80 });
      input.dataset.system = String(at);
      return docscoreElement("label", "opt", docscoreElement("span", "", docscoreFileName(path)), input);
    }));
    if (held) docscoreFindAll(part("names"), `[data-system="${held}"]`)[0]?.focus();
  };

  const drawDocuments = () => {
    if (!result) return;
    docscoreComparison.documents(part("documents"), result, view, (id) => hashOf({ ...view, document: id }));
    for (const row of docscoreFindAll(part("pairs"), "[data-pair]")) row.toggleAttribute("data-chosen", Number(row.dataset.pair) === view.pair);
    panes.documents.fresh();
    mark();
  };

  /** The document that is open, in the list. */
  const mark = () => {
    for (const row of docscoreFindAll(part("documents"), "[data-document]")) {
      const isChosen = row.dataset.document === view.document;
      row.toggleAttribute("data-chosen", isChosen);
      if (isChosen && !("stacked" in screen.dataset)) row.scrollIntoView({ block: "nearest" });
    }
  };

  // A document side by side

  const open = async () => {
    if (!result) return;
    screen.toggleAttribute("data-document", Boolean(view.document));
    part("side").hidden = !view.document;
    mark();
    if (!view.document) { documents.forget(); return; }
    if (!part("opened").childElementCount) part("opened").textContent = "Loading …";  // else what was open stays, under its own name
    part("side").setAttribute("aria-busy", "true");
    const found = await documents.ask({ run: result.run, document: view.document });
    if (!found) return;
    part("side").removeAttribute("aria-busy");
    part("name").textContent = view.document;
    opened = "refused" in found ? null : found.number;
    if ("refused" in found) {
      const act = found.kind === "gone" ? docscoreButton("btn", "Compare again", run) : docscoreButton("btn", "Try again", open);
      part("opened").replaceChildren(docscoreElement("p", "cmp-none", docscoreSentence(found.refused), " ", act));
      return;
    }
    part("opened").innerHTML = found.html;  // of the server's templates, which escape every value
    drawPlaces();
    panes.opened.fresh();
    seek();
  };

  const lossOf = (/** @type {string | undefined} */ text) => Number(text?.replace("−", "")) || 0;

  /** Of the document that is open the places that differ, or all, and where one system is worse than another only those. */
  const drawPlaces = () => {
    const agreed = part("opened").querySelector("table")?.dataset.agreed ?? "";
    part("unfold").hidden = !agreed || view.worse !== "";
    docscoreFind(part("unfold"), "span").textContent = `Show ${agreed}`;
    const rows = docscoreFindAll(part("opened"), "tr[data-row]"), [at, than] = view.worse.split(" ").map(Number);
    for (const row of rows) {
      const lost = row.dataset.lost?.split("|").map(lossOf) ?? [];
      row.hidden = view.worse ? lost[at] <= lost[than] : "same" in row.dataset && !unfold.checked;
    }
    part("nothing").textContent = rows.some((row) => !row.hidden) ? "" : view.worse ? `No value here costs ${worse.selectedOptions[0].text.replace("worse", "more points")}.` : "All systems predict the same for this document.";
    for (const cell of docscoreFindAll(part("opened"), "[data-system]")) cell.classList.toggle("cmp-other", cell.dataset.system !== one.value);
  };

  /** The rows of the field or the cause that was pressed. */
  const seek = () => {
    const { field, cause } = sought;
    const rows = docscoreFindAll(part("opened"), "tr[data-field]")
      .filter(({ dataset }) => (field && dataset.field === field) || (cause && dataset.causes?.split("|").includes(cause)));
    sought = { field: "", cause: "" };
    if (rows.some((row) => row.hidden)) { unfold.checked = true; drawPlaces(); }
    for (const row of rows) row.classList.add("here");
    const cell = rows[0]?.querySelector("[data-cell]") ?? part("opened").querySelector("tr:not([hidden]) > [data-cell]");
    if (cell instanceof HTMLElement) panes.opened.go(cell);
    if ("stacked" in screen.dataset) part("side").scrollIntoView();
  };

  /** The document as one system predicted it, on the tab for one pair, under the same options. */
  const openPair = async (/** @type {number} */ system) => {
    if (!result || opened === null) return;
    const found = await docscoreAnswer(server.read_pair, { run: result.run, number: opened, system });
    if ("refused" in found) { setStatus(docscoreSentence(found.refused)); return; }
    const { metric, parse, missing, skip, ...whatIf } = options.read();
    location.hash = await docscoreLinks.ofDocument(found, metric, whatIf);
  };

  const go = (/** @type {Partial<ComparisonView>} */ changes) => { location.hash = hashOf({ ...view, ...changes }); };

  const step = (/** @type {number} */ by) => {
    const rows = docscoreFindAll(part("documents"), "[data-document]");
    const next = rows[rows.findIndex(({ dataset }) => dataset.document === view.document) + by];
    if (next) go({ document: next.dataset.document });
  };

  // The address

  const hashOf = (/** @type {ComparisonView} */ { document: name, find: text, pair, worse: than, seg }) => {
    const parts = new URLSearchParams({ compare: result?.run ?? "" });
    if (name) parts.set("document", name);
    if (text) parts.set("find", text);
    if (pair !== null) parts.set("pair", String(pair));
    if (than) parts.set("worse", than);
    if (seg !== "1") parts.set("seg", seg);
    return `#${parts}`;
  };

  const keepAddress = () => { if (result && docscoreIsShown("compare")) history.replaceState(null, "", hashOf(view)); };

  const setView = (/** @type {Partial<ComparisonView>} */ changes) => {
    view = { ...view, ...changes };
    screen.dataset.seg = view.seg;
    for (const button of docscoreFindAll(screen, "[data-to-seg]")) button.setAttribute("aria-pressed", String(button.dataset.toSeg === view.seg));
    if (find.value !== view.find) find.value = view.find;
    worse.value = view.worse;
    if (worse.selectedIndex < 0) view.worse = worse.value = "";
  };

  /** Show what the address says; a result that is not here is asked for. */
  const follow = async () => {
    const asked = new URLSearchParams(location.hash.slice(1)), name = asked.get("compare");
    if (!name) {
      if (history.state?.files) changeFiles();
      return;
    }
    const pair = Number.parseInt(asked.get("pair") ?? "", 10), seg = asked.get("seg") ?? "";
    const wanted = { document: asked.get("document") ?? "", find: asked.get("find") ?? "", pair: pair >= 0 ? pair : null, worse: asked.get("worse") ?? "", seg: "123".includes(seg) && seg ? seg : "1" };
    if (result?.run === name) {
      if (screen.dataset.state === "empty") restore();
      const isOther = wanted.document !== view.document, isOrdered = wanted.find !== view.find || wanted.pair !== view.pair || wanted.worse !== view.worse;
      const last = view.document;
      setView({ ...wanted, pair: wanted.pair !== null && wanted.pair < result.pairs.length ? wanted.pair : null });
      if (isOrdered) drawDocuments();
      if (isOther) await open();
      else if (isOrdered) drawPlaces();
      if (isOther && !view.document) back(last);
      return;
    }
    const found = await docscoreAnswer(server.open_result, { run: name });
    if ("refused" in found || !("pairs" in found)) {
      setStatus(`This link could not be opened: ${docscoreSentence("refused" in found ? found.refused : "it is not a comparison")}`);
      return;
    }
    setView({ ...wanted, pair: wanted.pair !== null && wanted.pair < found.pairs.length ? wanted.pair : null });
    draw(found);
  };

  /** The focus is where one came from. */
  const back = (/** @type {string} */ name) => {
    const row = docscoreFindAll(part("documents"), "[data-document]").find(({ dataset }) => dataset.document === name);
    const cell = row?.querySelector("[data-cell]");
    if (cell instanceof HTMLElement) panes.documents.go(cell);
  };

  const share = async (/** @type {HTMLElement} */ button) => setStatus(await docscoreLinks.copy(button, new URL(hashOf(view), location.href).href, " It works for an hour."));

  // Events

  /** @type {Record<string, (button: HTMLElement) => void>} */
  const acts = {
    change: () => changeFiles(),
    share: (button) => { share(button); },
    review: () => { if (result) document.dispatchEvent(new CustomEvent("docscore-review", { detail: result.asked })); },
    close: () => go({ document: "" }),
    previous: () => step(-1),
    next: () => step(1),
    more: (button) => button.setAttribute("aria-expanded", String(screen.classList.toggle("with-setup"))),
  };

  screen.addEventListener("click", (event) => {
    const button = docscoreAround(event, "button"), cell = docscoreAround(event, "[data-open]"), row = docscoreAround(event, "[data-row]");
    const link = docscoreAround(event, "[data-document] a");
    if (link && !event.ctrlKey && !event.metaKey && !event.shiftKey) {  // its address is that of when it was drawn
      event.preventDefault();
      go({ document: row?.dataset.document });
    } else if (button?.dataset.do) acts[button.dataset.do](button);
    else if (button?.dataset.toSeg) go({ seg: button.dataset.toSeg });
    else if (cell) {
      sought = { field: row?.dataset.ofField ?? "", cause: row?.dataset.ofCause ?? "" };
      if (cell.dataset.open === view.document) seek();
      else go({ document: cell.dataset.open });
    } else {
      const chosen = docscoreAround(event, "[data-pair]");
      if (!chosen) return;
      const pair = Number(chosen.dataset.pair);
      go({ pair: view.pair === pair ? null : pair });
    }
  });

  part("options").addEventListener("input", (event) => {
    if (docscoreAround(event, "[data-system]")) return;
    drawChips();
    clearTimeout(timer);
    if (screen.dataset.state === "empty") box.check();
    else if (result && screen.dataset.state === "shown") timer = setTimeout(run, PAUSE);
  });
  part("names").addEventListener("change", () => {
    if (!files) return;
    files.names = [...part("names").querySelectorAll("input")].map(({ value }) => value.trim());
    run();
  });
  find.addEventListener("input", () => {
    if (!view.find) history.pushState(null, "", location.href);  // what is typed is one step of Back
    setView({ find: find.value });
    drawDocuments();
    keepAddress();
  });
  worse.addEventListener("change", () => go({ worse: worse.value }));
  for (const input of [unfold, one]) input.addEventListener("change", drawPlaces);
  screen.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || docscoreAround(event, "input")) return;
    if (event.key === "Escape" && view.document && !screen.querySelector("details.pop[open]")) go({ document: "" });
    if (event.key === "j" && view.document) step(1);
    if (event.key === "k" && view.document) step(-1);
  });
  document.addEventListener("docscore-tab", (event) => { if (event.detail === "compare" && location.hash === "#compare") keepAddress(); });
  window.addEventListener("hashchange", follow);
  narrow.addEventListener("change", fit);
  drawChips();
  setState("empty");
  follow().finally(() => { screen.dataset.ready = ""; });
};
