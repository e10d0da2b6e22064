// The tab for a test set: from the drop box to a result, its options and downloads, and what is said when something fails.

/** @typedef {Pick<Server.FileRequest, "references" | "predictions" | "reading">} Files  by the names that the server gave them */

const docscoreTestset = (/** @type {HTMLElement} */ element, /** @type {Server.Functions} */ server) => {
  const PAUSE = 300, PATIENCE = 600;  // milliseconds until changed options are scored, and until it is said that they are
  const root = docscoreFind(element, ".testset"), part = docscoreParts(root, "#testset-");
  /** @type {Server.Upload[]} */
  const examples = JSON.parse(root.dataset.examples ?? "[]");
  const runs = docscoreRunner("testset", server.score_files, server);
  /** @type {Options<Server.SchemaOptions & {metric: string, by: string}>} */
  const options = docscoreOptions(part("options"));
  const metric = part("metric", HTMLSelectElement), skip = part("skip", HTMLInputElement), confidences = part("confidences", HTMLInputElement);
  const beside = [...root.querySelectorAll("input[name=testset-beside]")].filter((input) => input instanceof HTMLInputElement);
  const figures = part("figures-shown", HTMLDialogElement);
  /** @type {Server.TestSet | null} */
  let result = null;
  /** @type {(() => void) | null} */
  let act = null;
  let timer = 0, patience = 0;

  const say = (/** @type {string} */ text) => { part("status").textContent = text; };

  /** The drop box or the result; the options are in both. */
  const view = (/** @type {"files" | "result"} */ name) => {
    root.dataset.view = name;
    if (part("options").closest(name === "files" ? ".drop" : ".setup")) return;  // what is moved loses the focus
    if (name === "files") docscoreFind(root, ".drop-options").append(part("options"));
    else part("review").before(part("options"));
  };

  const box = new DropBox(docscoreFind(root, ".drop"), server, {
    isPair: true, examples, verb: "Score",
    run: ({ truth, predictions, reading }) => score({ references: truth?.path ?? null, predictions: predictions[0].path, reading }),
    allowed: () => ({ skip: skip.checked }),
    allow: () => { skip.checked = true; },
  });

  /** What stands in place of the conclusion: a title, a sentence, and a button with what it does; the result is then old. */
  const notice = (/** @type {string} */ title, /** @type {string} */ detail, label = "", /** @type {(() => void) | null} */ action = null, /** @type {number | null} */ share = null) => {
    part("title").textContent = title;
    part("detail").textContent = detail;
    part("act").hidden = !action;
    part("act").textContent = label;
    part("progress").hidden = share === null;
    part("progress").style.setProperty("--v", String(share ?? 0));
    part("progress").setAttribute("aria-valuenow", String(Math.round(100 * (share ?? 0))));
    act = action;
  };

  const conclude = () => {
    delete root.dataset.stale;
    if (!result) return;
    const { title, text, remedy } = result.headline;
    part("heard").textContent = `${result.label} ${result.text}.`;
    notice(title, text, remedy?.label, remedy && (() => take(remedy.options)));
  };

  const old = () => { root.dataset.stale = ""; };

  /** The options that a request has, as the server writes them. */
  const settings = () => {
    const { metric: first, by, ...what_if } = options.read();
    const others = beside.filter(({ checked, value }) => checked && value !== first).map(({ value }) => value);
    return { what_if, metrics: [first, ...others], by: by.trim(), skip: skip.checked, confidences: confidences.checked };
  };

  const showOptions = (/** @type {Omit<Server.FileRequest, keyof Files>} */ from) => {
    options.take({ ...from.what_if, metric: from.metrics[0], by: from.by });
    for (const input of beside) input.checked = from.metrics.slice(1).includes(input.value);
    skip.checked = from.skip;
    confidences.checked = from.confidences;
    drawChips();
  };

  const defaults = settings();
  const forgetOptions = () => showOptions(defaults);

  /** The deviations from the defaults, each of which can be taken back. */
  const drawChips = () => {
    const reading = result?.asked.reading ?? {};
    options.show(metric.value);
    const changed = options.changed().map(({ name, words, show }) => ({ words, show, takeBack: () => options.reset(name) }));
    if (skip.checked) changed.push({ words: "faulty rows left out", show: options.open(skip), takeBack: () => { skip.checked = false; } });
    if (reading.parse) changed.push({ words: "JSON extracted from texts", show: changeFiles, takeBack: () => { delete reading.parse; } });
    options.chips(part("chips"), changed.map((each) => ({ ...each, takeBack: () => { each.takeBack(); drawChips(); rescore(); } })));
  };

  /** Options by the groups of a request, such as those of a remedy. */
  const take = (/** @type {Server.Changes} */ changes) => {
    options.take(changes.what_if ?? {});
    Object.assign(result?.asked.reading ?? {}, changes.reading);
    drawChips();
    rescore();
  };

  /** The files of the result, with the options as they are now. */
  const rescore = () => {
    if (!result) return;
    const { references, predictions, reading } = result.asked;
    score({ references, predictions, reading });
  };

  const stop = () => {
    clearTimeout(patience);
    if (result) { showOptions(result.asked); }
    runs.stop();
  };

  /** @type {(files: Files, link?: View | null) => Promise<void>} */
  const score = async (files, link = null) => {
    clearTimeout(timer);
    clearTimeout(patience);
    const isFirst = root.dataset.view === "files";
    const show = (/** @type {number} */ share, /** @type {string} */ text) => {
      if (isFirst) box.busy(text || "Scoring …", share, stop);
      else notice("Scoring …", text, "Cancel", stop, share);
    };
    if (!isFirst) old();
    patience = setTimeout(() => show(0, ""), isFirst ? 0 : PATIENCE);
    const found = await runs.run({ ...files, ...settings(), before: result?.run ?? "" }, (share, text) => { if (share > 0) show(share, text); });
    if (!found) return;
    clearTimeout(patience);
    box.idle();
    if ("refused" in found) refuse(found, isFirst, files);
    else await open(found, link);
  };

  /** The result with its options, which is not old. */
  const restore = () => {
    if (result) showOptions(result.asked);
    conclude();
    view("result");
  };

  /**
   * What is said of a request that was not answered; the result before it stays, as an old one.
   * @type {(found: Server.Refusal, isFirst: boolean, files: Files) => void}
   */
  const refuse = (found, isFirst, files) => {
    if (found.kind === "stopped" && result && !isFirst) { conclude(); return; }
    if (isFirst) {
      if (found.kind !== "stopped") box.say(`Not scored: ${docscoreSentence(found.refused)}`);
      return;
    }
    const isInput = found.kind === "input";
    if (found.kind === "gone") notice("Not scored.", `${docscoreSentence(found.refused)} The previous result is shown below.`, "Choose files", () => view("files"));
    else notice("Not scored.", `${docscoreSentence(found.refused)} The previous result is shown below.`, isInput ? "Undo" : "Try again", isInput ? restore : () => score(files));
  };

  const panes = docscoreDocuments({
    root, server, say,
    /** A question about the result was not answered. */
    fault: (found, again, document = "") => {
      old();
      const isGone = found.kind === "gone";
      const retry = async () => { conclude(); await again?.(); };
      notice(isGone ? "This result is gone." : document ? `${document} could not be loaded.` : "Not shown.", docscoreSentence(found.refused), isGone ? "Score again" : "Try again", isGone ? rescore : retry);
    },
  });

  const open = async (/** @type {Server.TestSet} */ found, /** @type {View | null} */ link) => {
    if (root.dataset.view === "files" && !link) docscoreStep("testset", "#test-set");
    result = found;
    showOptions(found.asked);
    drawResult(found);
    conclude();
    view("result");
    if (await panes.show(found, link)) root.dataset.ready = "";
  };

  const drawResult = (/** @type {Server.TestSet} */ found) => {
    const { references, predictions } = found.names;
    part("truth").textContent = references ?? predictions;
    part("prediction").textContent = references ? predictions : "";
    part("times").hidden = !references;
    part("paired").textContent = found.paired;
    part("score").textContent = found.text;
    part("label").textContent = found.label === "ANLS*" ? "" : found.label;
    part("python").textContent = found.python;
    const plot = part("plot");
    for (const [name, value] of [["v", found.score], ["a", found.low ?? found.score], ["b", found.high ?? found.score]]) plot.style.setProperty(`--${name}`, String(value));
    plot.setAttribute("aria-label", `${found.label} ${found.text} on a scale from 0 to 1${found.interval ? `, ${found.interval}` : ""}`);
    part("left-out").hidden = !found.left_out.length;
    part("left-out").textContent = found.left_out.join(" ");
    const links = found.downloads.map(({ label, path }) => {
      const link = docscoreElement("a", "", label);
      link.href = `gradio_api/file=${encodeURI(path)}`;
      link.download = path.split("/").pop() ?? "";
      return docscoreElement("li", "", link);
    });
    const schemas = docscoreSchemas(found.asked.what_if.schema ?? "", found.what_ifs);
    const rows = docscoreButton("", "These documents as JSONL", downloadRows);
    docscoreFind(part("export"), "ul").replaceChildren(...links, ...schemas, docscoreElement("li", "", rows));
    const scroll = docscoreFind(figures, ".scroll");
    scroll.innerHTML = found.figures;  // of the server's templates, which escape every value
    scroll.prepend(docscoreElement("ul", "", ...found.counts.map((line) => docscoreElement("li", "", line))));
  };

  const downloadRows = async () => {
    if (!result) return;
    const numbers = panes.order();
    const found = await docscoreAnswer(server.read_rows, { run: result.run, numbers: numbers.join(" ") });
    if ("refused" in found) { say(docscoreSentence(found.refused)); return; }
    docscoreDownload("documents.jsonl", found.text);
    say(`${numbers.length.toLocaleString("en")} row${numbers.length === 1 ? "" : "s"} downloaded, with both sides. They can be scored as a test set.`);
  };

  /** The chosen document on the tab for one pair, under the same options. */
  const openPair = async () => {
    const number = panes.document();
    if (!result || number === null) return;
    const found = await docscoreAnswer(server.read_pair, { run: result.run, number });
    if ("refused" in found) { say(docscoreSentence(found.refused)); return; }
    const { metric: name, by, ...rest } = options.read();
    location.hash = await docscoreLinks.ofDocument(found, name, rest);
  };

  /** Open what the address names: a result that is kept, or the example. */
  const follow = async (/** @type {Event | null} */ event) => {
    let link;
    try { link = docscoreViews.of(location.hash); }
    catch (error) { box.say(`This link could not be opened: ${error instanceof Error ? error.message : error}.`); return; }
    if (!link) {
      if (history.state?.files) changeFiles();
      return;
    }
    if (panes.isOpen(link.documents)) {
      if (event?.type !== "popstate") return;
      view("result");
      panes.follow(link);
      return;
    }
    if (link.documents === "example") { forgetOptions(); await score({ references: examples[0].path, predictions: examples[1].path, reading: {} }, link); return; }
    box.busy("Opening …", 0, null);
    const found = await docscoreAnswer(server.open_result, { run: link.documents });
    box.idle();
    if ("pairs" in found || "places" in found) box.say("This link could not be opened: It is not a test set.");
    else if (!("refused" in found)) await open(found, link);
    else if (found.kind === "silent") box.say(docscoreSentence(found.refused), () => follow(null));
    else box.say(`This link could not be opened: ${docscoreSentence(found.refused)}`);
  };

  const later = () => {
    if (root.dataset.view === "files") { box.check(); return; }
    if (!result) return;
    old();
    clearTimeout(timer);
    timer = setTimeout(rescore, PAUSE);
  };

  part("options").addEventListener("input", () => { drawChips(); later(); });
  part("act").addEventListener("click", () => act?.());
  const changeFiles = () => {
    if (!result) return;
    const { references, predictions, reading } = result.asked, { names } = result;
    view("files");
    box.take({ truth: references === null ? null : { name: names.references ?? "", path: references }, predictions: [{ name: names.predictions, path: predictions }], reading }, restore);
  };
  part("change").addEventListener("click", changeFiles);
  part("review").addEventListener("click", () => {
    if (!result) return;
    const { references, predictions, reading, skip, what_if } = result.asked;
    document.dispatchEvent(new CustomEvent("docscore-review", { detail: { references, predictions: [predictions], reading, skip, what_if } }));
  });
  part("link").addEventListener("click", async () => {
    panes.write();
    const kept = result?.example ? "" : " Anyone who has it can see these documents for an hour after they were scored.";
    say(await docscoreLinks.copy(part("link"), location.href, kept));
  });
  part("pair").addEventListener("click", openPair);
  part("more").addEventListener("click", () => part("more").setAttribute("aria-expanded", String(root.classList.toggle("with-setup"))));
  part("figures").addEventListener("click", () => figures.showModal());
  docscoreFind(figures, "button").addEventListener("click", () => figures.close());
  root.addEventListener("dragover", (event) => { if (event.dataTransfer?.types.includes("Files")) event.preventDefault(); });
  root.addEventListener("drop", (event) => {  // beside the box, or on a result
    const files = [...event.dataTransfer?.files ?? []];
    if (!files.length) return;
    event.preventDefault();
    view("files");
    box.take(null, result && restore);
    box.add(files);
  });
  window.addEventListener("popstate", follow);
  document.addEventListener("docscore-tab", (event) => { if (event.detail === "testset" && root.dataset.view === "result") panes.write(); });
  forgetOptions();
  view("files");
  follow(null).finally(() => { root.dataset.loaded = ""; });
};
