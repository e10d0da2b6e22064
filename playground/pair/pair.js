// The screen for one pair: scores what is typed, shows where rows of the tree stand in the editors, keeps and shares it.
/** @typedef {"truth" | "prediction"} Side */

const docscorePair = (/** @type {HTMLElement} */ root, /** @type {Server.Functions} */ server) => {
  const PAUSE = 30, PATIENCE = 1000;  // milliseconds until what was typed is scored, and until Cancel is offered
  const LONGEST_ADDRESS = 30000;  // characters; longer pairs are kept in this browser tab alone
  const KEPT = "docscore-pair";
  /** @type {Side[]} */
  const SIDES = ["truth", "prediction"];
  const NAMES = { truth: "ground truth", prediction: "prediction" };

  const screen = docscoreFind(root, ".screen"), part = docscoreParts(screen, "#pair-");
  /** @type {{examples: ({title: string} & Server.Sides)[], longest: number, first: Server.PairAnswer & Server.WhatIfs}} */
  const settings = JSON.parse(screen.dataset.settings ?? "");
  const result = part("result"), tree = part("tree");
  const treePane = docscoreTree(tree);
  const scores = docscoreAsker(server.score_workspace), tries = docscoreAsker(server.try_options);
  /** @type {Options<Server.SchemaOptions & {metric: string, reading: string}>} */
  const options = docscoreOptions(part("options"));
  let timer = 0, patience = 0, saved = 0;
  /** @type {(() => void) | null} */
  let act = null;
  /** @type {Server.Changes} */
  let better = {};
  const remedy = docscoreButton("btn tint", "", () => { take(better); docscoreFind(part("options"), "summary").focus(); });

  const setStatus = (/** @type {string} */ text) => { part("status").textContent = text; };

  /** The code and the JSON of a result, or why there are none. */
  const setCode = (/** @type {string} */ python, json = python) => {
    part("python").textContent = python;
    part("json").textContent = json;
  };

  const changed = () => {
    scores.forget();
    tries.forget();
    setStatus("");
    showChange([]);
    setCode("Scoring …");
    result.dataset.stale = "";
    clearTimeout(timer);
    clearTimeout(patience);
    timer = setTimeout(score, PAUSE);
  };

  /** What was changed in a text to make JSON of it. */
  const showChange = (/** @type {Piece[]} */ pieces) => {
    const { count, rows } = docscoreDifference(pieces), change = part("change");
    change.hidden = !count;
    docscoreFind(change, "summary").textContent = `Changed: ${count === 1 ? "1 line" : `${count.toLocaleString("en")} lines`}, before and after`;
    docscoreFind(change, "div").replaceChildren(...rows);
  };

  const page = { changed, pointed: (/** @type {Editor} */ editor) => pointed(editor), say: setStatus, showChange, longest: settings.longest };
  const editors = { truth: new Editor(part("truth"), page), prediction: new Editor(part("prediction"), page) };

  const request = () => {
    const { metric, reading, ...rest } = options.read();
    return { truth: editors.truth.text, prediction: editors.prediction.text, metric, reading, options: rest };
  };

  /** What stands in place of the score: a title, a sentence, and a button with what it does. */
  const notice = (/** @type {string} */ title, detail = "", label = "", /** @type {(() => void) | null} */ action = null) => {
    part("notice").hidden = !title;
    part("title").textContent = title;
    part("detail").textContent = detail;
    part("heard").textContent = `${title} ${detail}`;
    act = action;
    part("act").hidden = !action;
    part("act").textContent = label;
    tree.inert = Boolean(title);
    if (title) { result.dataset.stale = ""; setCode(title); }
    else delete result.dataset.stale;
  };

  const stop = () => { docscoreAnswer(server.stop_workspace, { window: scores.window() }); };

  const score = async () => {
    clearTimeout(timer);
    clearTimeout(patience);
    patience = setTimeout(() => notice("Scoring …", "This is taking longer than usual.", "Cancel", stop), PATIENCE);
    const asked = request(), found = tooLong(asked) ?? await scores.ask(asked);
    if (!found) return;
    clearTimeout(patience);
    show(found);
    keep(asked);
    if (!("refused" in found) && found.result) offer(asked, await tries.ask(asked));
  };

  /** What scores higher, once it is computed: the button keeps its place until then. */
  const offer = (/** @type {Server.PairRequest} */ asked, /** @type {Server.WhatIfs | Server.Refusal | null} */ found) => {
    if (!found) return;
    const whatIfs = "refused" in found ? [] : found.what_ifs;
    part("schemas").replaceChildren(...docscoreSchemas(asked.options.schema ?? "", whatIfs));
    remedy.hidden = !whatIfs.length;
    remedy.disabled = false;
    if (whatIfs.length) [remedy.textContent, better] = [whatIfs[0].label, whatIfs[0].options];
  };

  /** Options by the groups of a request, such as those of a remedy. */
  const take = (/** @type {Server.Changes} */ { what_if: whatIf, reading }) => {
    options.take({ ...whatIf, ...(reading?.parse ? { reading: reading.parse } : {}) });
    drawChips();
    score();
  };

  const before = () => (tree.childElementCount ? " The score below is from before the edit." : "");

  /** The answer to a text that is too long to be sent; null where none is. @type {(asked: Server.PairRequest) => Server.PairAnswer | null} */
  const tooLong = (asked) => {
    const faults = SIDES.map((side) => {
      const length = new Blob([asked[side]]).size, most = settings.longest;
      return length > most ? { text: `too large: ${length.toLocaleString("en")} bytes, ${most.toLocaleString("en")} at most here; score it with \`docscore score\``, line: null, column: null, mend: null } : null;
    });
    return faults.some(Boolean) ? { faults, note: "", edits: [], result: "", raw: "", python: "", spans: [] } : null;
  };

  /** @type {(side: Side, fault: Server.Fault | null) => Placed} */
  const placed = (side, fault) => ({
    sentence: fault?.text ?? "",
    place: fault?.line ? { line: fault.line - 1, column: (fault.column ?? 1) - 1 } : null,
    label: fault?.mend ? docscoreWordsOf(editors[side].text, fault.mend) : "",
    act: () => editors[side].edit(fault?.mend?.edits ?? []),
  });

  const show = (/** @type {Server.PairAnswer | Server.Refusal} */ found) => {
    const { faults, spans } = "refused" in found ? { faults: [null, null], spans: [] } : found;
    SIDES.forEach((side, at) => {
      editors[side].spans = spans[at] ?? {};
      editors[side].setFault(placed(side, faults[at]));
    });
    if ("refused" in found) {
      const sentence = `${docscoreSentence(found.refused)}${before()}`;
      if (found.kind === "input" && options.read().schema) notice("Not scored.", sentence, "Leave the schema out", () => take({ what_if: { schema: "" } }));
      else notice("Not scored.", sentence, "Try again", score);
      return;
    }
    const wrong = faults.findIndex(Boolean);
    if (wrong >= 0) { sayFault(SIDES[wrong], faults[wrong]); return; }
    const only = docscoreFindAll(tree, ".anls-legend input:checked").map((input) => input.className);
    docscoreRedraw(tree, found.result, ".anls-row:not(.anls-header)");
    for (const name of only) docscoreFindAll(tree, `.${name}:not(:checked)`)[0]?.click();
    treePane.fresh();
    remedy.disabled = true;
    docscoreFind(tree, ".anls-head").append(remedy);
    part("short").textContent = docscoreFind(tree, ".anls-score").textContent;
    part("points").textContent = docscoreFind(tree, ".anls-detail").textContent.split(";")[0];
    part("stack").replaceChildren(docscoreFind(tree, ".anls-stack").cloneNode(true));
    setCode(found.python, found.raw);
    notice("");
    part("heard").textContent = `Score ${part("short").textContent}. ${tree.querySelector(".anls-conclusion")?.textContent ?? ""}`;
    setStatus([part("status").textContent, found.note].filter(Boolean).join(" "));
    if (found.edits.length) showChange(docscorePieces(editors.prediction.text, found.edits));
    for (const side of SIDES) editors[side].setSigns(signsOf(side));
  };

  const sayFault = (/** @type {Side} */ side, /** @type {Server.Fault | null} */ fault) => {
    const { place, label, act: mend } = placed(side, fault), isPrediction = side === "prediction", { reading } = options.read();
    const isJson = place !== null || !editors[side].text.trim();
    const read = (/** @type {string} */ how) => () => take({ reading: { parse: how } });
    const [words, button, helps] = !isJson || reading === "text" ? ["", "", null]
      : !isPrediction ? ["", label, label ? mend : null]
        : fault?.mend?.repairs && reading === "json" ? [", or have it repaired", "Repair and score", read("repair")] : [", or compare it as plain text", "Compare as plain text", read("text")];
    const title = isJson || !fault ? `Not scored: the ${NAMES[side]} is not JSON.` : docscoreSentence(fault.text);
    notice(title, `${place ? `Correct line ${place.line + 1}` : "Correct it"}${words}.${before()}`, button, helps);
  };

  /** The glyphs of the values that are not exact, by their positions in the text of a side. */
  const signsOf = (/** @type {Side} */ side) => rowsOf(side).filter(({ tagName, dataset: { status = "" } }) => (tagName === "DIV" ? status !== "exact" : /missing|extra/.test(status)))
    .map((row) => ({ position: row.dataset[side] ?? "", glyph: docscoreFind(row, ".anls-glyph").textContent, lost: row.dataset.status !== "partial" }));

  const rowsOf = (/** @type {Side} */ side) => docscoreFindAll(tree, `.anls-row[data-${side}]`);

  // A row was chosen: its lines in both editors, and those where its value is predicted instead.
  const chosen = (/** @type {HTMLElement} */ row) => {
    const others = treePane.look(row);
    editors.truth.show(row.dataset.truth);
    editors.prediction.show(row.dataset.prediction, ...others.map(({ dataset }) => dataset.prediction));
  };

  // The caret moved: the innermost row that holds it, and its lines in the other editor.
  const pointed = (/** @type {Editor} */ editor) => {
    const side = editor === editors.truth ? "truth" : "prediction";
    const rows = new Map(rowsOf(side).map((row) => [row.dataset[side], row]));
    const row = editor.positions().map((position) => rows.get(position)).find(Boolean);
    if (!row || "stale" in result.dataset) return;
    for (let above = row.parentElement; above && above !== tree; above = above.parentElement) {
      if (above instanceof HTMLDetailsElement && above.firstElementChild !== row) above.open = true;
    }
    chosen(row);
    row.scrollIntoView({ block: "nearest" });
  };

  for (const kind of ["click", "focusin"]) {
    tree.addEventListener(kind, (event) => {
      const row = docscoreAround(event, ".anls-row:not(.anls-header)");
      if (row) chosen(row);
    });
  }

  const drawChips = () => {
    options.show(options.read().metric);
    options.chips(part("chips"), options.changed().map((option) => ({ ...option, takeBack: () => { options.reset(option.name); drawChips(); changed(); } })));
  };

  drawChips();
  const plain = request();  // as the page came
  const first = JSON.stringify(plain);

  /** The pair in this tab's storage, and in the address while the tab is shown. */
  const keep = async (/** @type {Server.PairRequest} */ asked) => {
    const mine = ++saved, text = JSON.stringify(asked);
    try { sessionStorage.setItem(KEPT, text); } catch { /* storage is full, or not allowed in a frame */ }
    const hash = text === first ? "" : await docscoreLinks.toHash(asked);
    if (mine !== saved || !docscoreIsShown("pair")) return;
    const address = hash.length > LONGEST_ADDRESS ? "#one-pair" : hash;
    history.replaceState(null, "", address || location.pathname + location.search);
  };

  const open = (/** @type {Server.PairRequest} */ values) => {
    options.take({ ...values.options, metric: values.metric, reading: values.reading });
    for (const side of SIDES) editors[side].replace(values[side]);
    drawChips();
    result.dataset.stale = "";
    return score();
  };

  screen.addEventListener("click", (event) => {
    const toSeg = docscoreAround(event, "[data-to-seg]"), example = docscoreAround(event, "[data-example]");
    if (example) {
      const { title, truth, prediction } = settings.examples[Number(example.dataset.example)];
      history.pushState(null, "", location.href);  // Back returns to the pair before
      part("example").textContent = title;
      open({ ...plain, truth, prediction });
    }
    if (toSeg) {
      screen.dataset.seg = toSeg.dataset.toSeg;
      for (const button of docscoreFindAll(screen, "[data-to-seg]")) button.setAttribute("aria-pressed", String(button === toSeg));
      for (const side of SIDES) editors[side].draw();
      docscoreFindAll(screen, ".ln:is(.bad, .on)").find((line) => line.checkVisibility())?.scrollIntoView({ block: "center" });
    }
  });
  part("options").addEventListener("input", () => { drawChips(); changed(); });
  part("act").addEventListener("click", () => act?.());
  part("more").addEventListener("click", () => {
    part("more").setAttribute("aria-expanded", String(screen.classList.toggle("with-setup")));
  });
  screen.addEventListener("input", (event) => { if (docscoreAround(event, "textarea")) part("example").textContent = ""; });
  screen.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) { event.preventDefault(); score(); }
    if (event.key !== "Escape") return;
    for (const side of SIDES) editors[side].show(undefined);
    treePane.look(null);
    if (act === stop) stop();
  });

  part("link").addEventListener("click", async () => {
    const link = new URL(await docscoreLinks.toHash(request()), location.href).href;
    history.replaceState(null, "", link);
    setStatus(await docscoreLinks.copy(part("link"), link));
  });

  document.addEventListener("docscore-tab", (event) => { if (event.detail === "pair" && "ready" in screen.dataset && !location.hash.startsWith("#pair=")) keep(request()); });

  /** @returns {unknown} */
  const kept = () => {
    try { return JSON.parse(sessionStorage.getItem(KEPT) ?? "null"); } catch { return null; }
  };

  /** Open the pair of the address, else the one that this browser tab had. */
  const follow = async (/** @type {Event | null} */ event) => {
    let link;
    try { link = await docscoreLinks.fromHash(location.hash, settings.longest); }
    catch (error) { setStatus(`This link could not be opened: ${error instanceof Error ? error.message : error}.`); return; }
    if (event && !location.hash) {
      part("example").textContent = settings.examples[0].title;
      await open(plain);
      return;
    }
    const own = link === undefined && !event ? kept() : null;
    if (link === undefined && own === null) return;
    const found = await docscoreAnswer(server.open_link, { link: link ?? own });
    if ("refused" in found) { if (!own) setStatus(`This link could not be opened: ${found.refused}.`); return; }
    part("example").textContent = "";
    await open(found);
  };

  show(settings.first);
  offer(plain, settings.first);
  window.addEventListener("hashchange", follow);
  follow(null).finally(() => { screen.dataset.ready = ""; });
};
