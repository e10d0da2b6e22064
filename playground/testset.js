// @ts-nocheck
// The tab for a test set: from the drop box to a result, its options and downloads, and what is said when something fails.

/** @typedef {{references: string | null, predictions: string, reading: Record<string, string | null>}} Files  by the names that the server gave them */
/** @typedef {{refused: string, kind: string}} Refusal */

/** @type {(element: HTMLElement, server: any) => void} */
window.docscoreTestset = (element, server) => {
  const PAUSE = 300, PATIENCE = 600;  // milliseconds until changed options are scored, and until it is said that they are
  const PAIR_METRICS = ["anls_star", "kieval", "entity_f1", "nted"];
  const root = element.querySelector(".testset");
  const part = (name) => root.querySelector(`#testset-${name}`);
  const examples = JSON.parse(root.dataset.examples);
  const runs = docscoreRunner("testset", server.score_files, server);
  const options = docscoreOptions(part("options"));
  let result = null, schema = "", schemaName = "", timer = null, patience = null, act = null;

  const say = (text) => { part("status").textContent = text; };

  /** The drop box or the result; the options are in both. */
  const view = (name) => {
    root.dataset.view = name;
    if (name === "files") root.querySelector(".drop-options").append(part("options"));
    else part("link").before(part("options"));
  };

  const box = new DropBox(root.querySelector(".drop"), server, {
    isPair: true, examples, verb: "Score",
    run: ({ truth, predictions, reading }) => score({ references: truth?.path ?? null, predictions: predictions[0].path, reading }),
  });

  /** What stands in place of the conclusion: a title, a sentence, and a button with what it does; the result is then old. */
  const notice = (title, detail, label = "", action = null, share = null) => {
    part("title").textContent = title;
    part("detail").textContent = detail;
    part("act").hidden = !action;
    part("act").textContent = label;
    part("progress").hidden = share === null;
    part("progress").style.setProperty("--v", share ?? 0);
    part("progress").setAttribute("aria-valuenow", Math.round(100 * (share ?? 0)));
    act = action;
  };

  const conclude = () => {
    delete root.dataset.stale;
    const { title, text, remedy } = result.headline;
    notice(title, text, remedy?.label, remedy && (() => take(remedy.options)));
  };

  const old = () => { root.dataset.stale = ""; };

  /** The options that a request has, as the server writes them. */
  const settings = () => {
    const { metric, by, ...what_if } = options.read();
    const beside = [...root.querySelectorAll("[name=testset-beside]:checked")].map((input) => input.value);
    return {
      what_if: { ...what_if, schema }, metrics: [metric, ...beside.filter((name) => name !== metric)], by: by.trim(),
      skip: part("skip").checked, confidences: part("confidences").checked,
    };
  };

  const showOptions = (from) => {
    options.take({ ...from.what_if, metric: from.metrics[0], by: from.by });
    for (const input of root.querySelectorAll("[name=testset-beside]")) input.checked = from.metrics.slice(1).includes(input.value);
    part("skip").checked = from.skip;
    part("confidences").checked = from.confidences;
    schema = from.what_if.schema;
    if (!schema) schemaName = "";
    drawChips();
  };

  const defaults = settings();
  const forgetOptions = () => showOptions(defaults);

  /** The deviations from the defaults, each of which can be taken back. */
  const drawChips = () => {
    const metric = part("metric");
    options.show(metric.value);
    metric.querySelector("[value=anls_star]").textContent = schema ? "Typed score, by the schema" : "ANLS*";
    part("schema-name").textContent = schema ? schemaName || "a schema" : "";
    const changed = options.changed().map(({ name, words }) => [name === "metric" ? metric.selectedOptions[0].textContent : name === "by" ? `by ${part("by").value}` : words, () => options.reset(name)]);
    if (schema) changed.push(["a schema", () => { schema = ""; }]);
    if (part("skip").checked) changed.push(["faults left out", () => { part("skip").checked = false; }]);
    if (result?.asked.reading.parse) changed.push(["JSON read out of texts", () => { delete result.asked.reading.parse; }]);
    part("chips").replaceChildren(...changed.map(([words, takeBack]) => {
      const button = docscoreButton("", "×", () => { takeBack(); drawChips(); rescore(); });
      button.setAttribute("aria-label", `Take back: ${words}`);
      return docscoreElement("span", "chip", words, button);
    }));
  };

  /** Options by the groups of a request, such as those of a remedy. */
  const take = (changes) => {
    if (changes.what_if?.schema) schema = changes.what_if.schema;
    options.take(changes.what_if ?? {});
    Object.assign(result.asked.reading, changes.reading ?? {});
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

  /** @type {(files: Files, link?: object | null) => Promise<void>} */
  const score = async (files, link = null) => {
    clearTimeout(timer);
    clearTimeout(patience);
    const isFirst = root.dataset.view === "files";
    const show = (share, text) => {
      if (isFirst) box.busy(text || "Scoring …", share, stop);
      else notice("Scoring …", text, "Cancel", stop, share);
    };
    if (!isFirst) old();
    patience = setTimeout(() => show(0, ""), isFirst ? 0 : PATIENCE);
    const found = await runs.run({ ...files, ...settings() }, (share, text) => { if (share > 0) show(share, text); });
    if (!found) return;
    clearTimeout(patience);
    box.idle();
    if (found.refused) refuse(found, isFirst, files);
    else await open(found, link);
  };

  /**
   * What is said of a request that was not answered; the result before it stays, as an old one.
   * @type {(found: Refusal, isFirst: boolean, files: Files) => void}
   */
  const refuse = (found, isFirst, files) => {
    if (found.kind === "stopped" && result && !isFirst) { conclude(); return; }
    if (isFirst) {
      if (found.kind !== "stopped") box.say(`Not scored: ${docscoreSentence(found.refused)}`);
      return;
    }
    const isInput = found.kind === "input";
    const back = () => { showOptions(result.asked); conclude(); };
    if (found.kind === "gone") notice("Not scored.", `${docscoreSentence(found.refused)} Below is the result before.`, "Choose files", () => view("files"));
    else notice("Not scored.", `${docscoreSentence(found.refused)} Below is the result before.`, isInput ? "Take it back" : "Try again", isInput ? back : () => score(files));
  };

  const panes = docscoreDocuments({
    root, server, say,
    /** A question about the result was not answered. */
    fault: (found, again) => {
      old();
      const isGone = found.kind === "gone";
      const retry = async () => { conclude(); await again?.(); };
      notice(isGone ? "This result is gone." : "Not shown.", docscoreSentence(found.refused), isGone ? "Score again" : "Try again", isGone ? rescore : retry);
    },
  });

  const open = async (found, link) => {
    result = found;
    showOptions(result.asked);
    drawResult();
    conclude();
    view("result");
    if (await panes.show(result, link)) root.dataset.ready = "";
  };

  const drawResult = () => {
    const { references, predictions } = result.names;
    part("truth").textContent = references ?? predictions;
    part("prediction").textContent = references ? predictions : "";
    part("times").hidden = !references;
    part("paired").textContent = result.paired;
    part("score").textContent = result.shown;
    part("label").textContent = result.label === "ANLS*" ? "" : result.label;
    part("pair").hidden = Boolean(result.asked.what_if.schema);  // a pair has no schema
    const plot = part("plot");
    for (const [name, value] of [["v", result.score], ["a", result.low ?? result.score], ["b", result.high ?? result.score]]) plot.style.setProperty(`--${name}`, value);
    plot.setAttribute("aria-label", `${result.label} ${result.shown} on a scale from 0 to 1${result.interval ? `, ${result.interval}` : ""}`);
    part("interval").textContent = result.range;
    part("spread").replaceChildren(`median ${result.median}`, document.createElement("br"), `${result.faultless.toLocaleString("en")} without a fault`);
    part("left-out").hidden = !result.left_out.length;
    part("left-out").textContent = result.left_out.join(" ");
    const links = result.downloads.map(({ label, path }) => {
      const link = docscoreElement("a", "", label);
      link.href = `gradio_api/file=${encodeURI(path)}`;
      link.download = path.split("/").pop();
      return docscoreElement("li", "", link);
    });
    const texts = [["The schema in use", result.asked.what_if.schema], ["The schema that is suggested", result.what_ifs.map((each) => each.options.what_if?.schema).find(Boolean)]];
    const schemas = texts.filter(([, text]) => text).map(([words, text]) => docscoreElement("li", "", docscoreButton("", words, () => download("schema.json", text))));
    const rows = docscoreButton("", "These documents as rows", downloadRows);
    part("export").querySelector("ul").replaceChildren(...links, ...schemas, docscoreElement("li", "", rows));
    const figures = part("figures-shown");
    figures.querySelector(".scroll").innerHTML = result.figures;  // of the server's templates, which escape every value
    figures.querySelector(".scroll").prepend(docscoreElement("ul", "", ...result.counts.map((line) => docscoreElement("li", "", line))));
  };

  const download = (name, text) => {
    part("export").open = false;
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([text], { type: "application/json" }));
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  };

  const downloadRows = async () => {
    const numbers = panes.order();
    const found = await docscoreAnswer(server.read_rows, { run: result.run, numbers: numbers.join(" ") });
    if (found.refused) { say(docscoreSentence(found.refused)); return; }
    download("documents.jsonl", found.text);
    say(`${numbers.length.toLocaleString("en")} row${numbers.length === 1 ? "" : "s"} with both sides: a test set of their own.`);
  };

  /** The chosen document on the tab for one pair, under the same options. */
  const openPair = async () => {
    const found = await docscoreAnswer(server.read_pair, { run: result.run, number: panes.document() });
    if (found.refused) { say(docscoreSentence(found.refused)); return; }
    const { metric, by, ...rest } = options.read();
    const pair = { ...found, reading: "json", metric: PAIR_METRICS.includes(metric) ? metric : "anls_star", options: rest };
    location.hash = await docscoreLinks.toHash(pair);
  };

  /** Open what the address names: a result that is kept, or the example. */
  const follow = async (event) => {
    let link;
    try { link = docscoreViews.of(location.hash); }
    catch (error) { box.say(`This link was not opened: ${error.message}.`); return; }
    if (!link) return;
    if (panes.isOpen(link.documents)) { if (event?.type === "popstate") panes.follow(link); return; }
    if (link.documents === "example") { forgetOptions(); await score({ references: examples[0].path, predictions: examples[1].path, reading: {} }, link); return; }
    box.busy("Opening …", 0, null);
    const found = await docscoreAnswer(server.open_result, { run: link.documents });
    box.idle();
    if (!found.refused) await open(found, link);
    else if (found.kind === "silent") box.say(docscoreSentence(found.refused), () => follow(null));
    else box.say(`This link was not opened: ${docscoreSentence(found.refused)}`);
  };

  const later = () => {
    if (!result) return;
    old();
    clearTimeout(timer);
    timer = setTimeout(rescore, PAUSE);
  };

  part("options").addEventListener("input", () => { drawChips(); later(); });
  part("schema").addEventListener("click", () => part("schema-file").click());
  part("schema-file").addEventListener("change", async (event) => {
    const [file] = event.target.files;
    event.target.value = "";
    if (!file) return;
    event.stopPropagation();
    [schema, schemaName] = [await file.text(), file.name];
    drawChips();
    later();
  });
  part("act").addEventListener("click", () => act?.());
  part("change").addEventListener("click", () => {
    const { references, predictions, reading } = result.asked, { names } = result;
    view("files");
    box.take({ truth: references && { name: names.references, path: references }, predictions: [{ name: names.predictions, path: predictions }], reading }, () => view("result"));
  });
  part("link").addEventListener("click", async () => {
    panes.write();
    const kept = result.example ? "" : " Who has it sees these documents until an hour after they were scored.";
    say(await docscoreLinks.copy(location.href, kept));
  });
  part("pair").addEventListener("click", openPair);
  part("more").addEventListener("click", (event) => event.target.setAttribute("aria-expanded", String(root.classList.toggle("with-setup"))));
  part("figures").addEventListener("click", () => part("figures-shown").showModal());
  part("figures-shown").querySelector("button").addEventListener("click", () => part("figures-shown").close());
  root.addEventListener("dragover", (event) => { if (event.dataTransfer.types.includes("Files")) event.preventDefault(); });
  root.addEventListener("drop", (event) => {  // beside the box, or on a result
    if (!event.dataTransfer.files.length) return;
    event.preventDefault();
    const files = [...event.dataTransfer.files];
    view("files");
    box.take(null, result && (() => view("result")));
    box.add(files);
  });
  window.addEventListener("popstate", follow);
  document.addEventListener("docscore-tab", (event) => { if (event.detail === "testset" && root.dataset.view === "result") panes.write(); });
  forgetOptions();
  view("files");
  follow(null).finally(() => { root.dataset.loaded = ""; });
};
