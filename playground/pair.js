// The screen for one pair: scores what is typed, shows where rows of the tree stand in the editors, keeps and shares it.
window.docscorePair = (root, server) => {
  const PAUSE = 120, PATIENCE = 1000;  // milliseconds until what was typed is scored, and until Cancel is offered
  const LONGEST_ADDRESS = 30000;  // characters; longer pairs are kept in this browser tab alone
  const KEPT = "docscore-pair";
  const SIDES = ["truth", "prediction"], NAMES = { truth: "ground truth", prediction: "prediction" };

  const screen = root.querySelector(".screen");
  const part = (name) => screen.querySelector(`#pair-${name}`);
  const settings = JSON.parse(screen.dataset.settings);
  const result = part("result"), tree = part("tree"), chips = part("chips");
  const treePane = docscoreTree(tree);
  const scores = docscoreAsker((question) => server.score_workspace(question));
  const options = docscoreOptions(part("options"));
  let timer = null, patience = null, act = null, saved = 0;

  const setStatus = (text) => { part("status").textContent = text; };

  const changed = () => {
    scores.forget();
    setStatus("");
    result.dataset.stale = "";
    clearTimeout(timer);
    clearTimeout(patience);
    timer = setTimeout(score, PAUSE);
  };

  const page = { changed, pointed: (editor) => pointed(editor), say: setStatus, longest: settings.longest };
  const editors = Object.fromEntries(SIDES.map((side) => [side, new Editor(part(side), page)]));

  const request = () => {
    const { metric, reading, ...rest } = options.read();
    return { truth: editors.truth.text, prediction: editors.prediction.text, metric, reading, options: rest };
  };

  /** What stands in place of the score: a title, a sentence, and a button with what it does. */
  const notice = (title, detail = "", label = "", action = null) => {
    part("notice").hidden = !title;
    part("title").textContent = title;
    part("detail").textContent = detail;
    act = action;
    part("act").hidden = !action;
    part("act").textContent = label;
    tree.inert = Boolean(title);
    if (title) result.dataset.stale = "";
    else delete result.dataset.stale;
  };

  const stop = () => docscoreAnswer(server.stop_workspace, { window: scores.window() });

  const score = async () => {
    clearTimeout(timer);
    clearTimeout(patience);
    patience = setTimeout(() => notice("Scoring …", "This takes longer than usual.", "Cancel", stop), PATIENCE);
    const asked = request(), found = await scores.ask(asked);
    if (!found) return;
    clearTimeout(patience);
    show(found);
    keep(asked);
  };

  const before = () => (tree.childElementCount ? " Below is the score before the edit." : "");

  /** A fault as a sentence and its place, counted from 0. */
  const placed = (fault) => [fault?.text ?? "", fault?.line ? { line: fault.line - 1, column: (fault.column ?? 1) - 1 } : null];

  const show = (found) => {
    const faults = (found.faults ?? []).map(placed);
    SIDES.forEach((side, at) => {
      const [sentence, place] = faults[at] ?? ["", null];
      editors[side].spans = found.spans?.[at] ?? {};
      editors[side].setFault(sentence, place);
    });
    const wrong = SIDES.filter((_, at) => faults[at]?.[0]);
    if (found.refused) { notice("Not scored.", `${docscoreSentence(found.refused)}${before()}`, "Try again", score); return; }
    if (wrong.length) { sayFaults(wrong, faults); return; }
    const hidden = [...tree.querySelectorAll(".anls-legend input:not(:checked)")].map((input) => input.className);
    tree.innerHTML = found.result;  // of the server's templates, which escape every value
    for (const name of hidden) tree.querySelector(`.${name}`)?.click();
    treePane.fresh();
    const stack = tree.querySelector(".anls-stack");
    part("short").textContent = tree.querySelector(".anls-score").textContent;
    part("points").textContent = tree.querySelector(".anls-detail").textContent.split(";")[0];
    part("stack").replaceChildren(stack.cloneNode(true));
    part("json").textContent = found.raw;
    part("python").textContent = found.python;
    notice("");
    setStatus([part("status").textContent, found.note].filter(Boolean).join(" "));
    for (const side of SIDES) editors[side].setSigns(signsOf(side));
  };

  const sayFaults = (wrong, faults) => {
    const side = wrong[0], place = faults[SIDES.indexOf(side)][1], reading = options.read().reading;
    const line = place ? `Mend line ${place.line + 1}` : "Mend it";
    const isJson = place !== null || !editors[side].text.trim();
    const title = isJson ? `Not scored: the ${NAMES[side]} is not JSON.` : `Not scored: the ${NAMES[side]} is not taken.`;
    if (side === "prediction" && reading === "json" && isJson) {
      notice(title, `${line}, or let it be repaired.${before()}`, "Repair and score", () => { options.take({ reading: "repair" }); drawChips(); score(); });
    } else notice(title, `${line}.${before()}`);
  };

  /** The glyphs of the values that are not exact, by their positions in the text of a side. */
  const signsOf = (side) => rowsOf(side).filter((row) => row.tagName === "DIV" ? row.dataset.status !== "exact" : /missing|extra/.test(row.dataset.status))
    .map((row) => [row.dataset[side], { glyph: row.querySelector(".anls-glyph").textContent, lost: row.dataset.status !== "partial" }]);

  const rowsOf = (side) => [...tree.querySelectorAll(`.anls-row[data-${side}]`)];

  const here = (row) => {
    tree.querySelector(".here")?.classList.remove("here");
    row?.classList.add("here");
  };

  // A row was chosen: its lines in both editors.
  const chosen = (row) => {
    here(row);
    for (const side of SIDES) editors[side].show(row.dataset[side]);
  };

  // The caret moved: the innermost row that holds it, and its lines in the other editor.
  const pointed = (editor) => {
    const side = SIDES.find((each) => editors[each] === editor);
    const rows = new Map(rowsOf(side).map((row) => [row.dataset[side], row]));
    const row = editor.positions().map((position) => rows.get(position)).find(Boolean);
    if (!row || "stale" in result.dataset) return;
    for (let above = row.parentElement; above && above !== tree; above = above.parentElement) {
      if (above.tagName === "DETAILS" && above.firstElementChild !== row) above.open = true;
    }
    chosen(row);
    row.scrollIntoView({ block: "nearest" });
  };

  for (const kind of ["click", "focusin"]) {
    tree.addEventListener(kind, (event) => {
      const row = event.target.closest?.(".anls-row:not(.anls-header)");
      if (row) chosen(row);
    });
  }

  const drawChips = () => {
    options.show(options.read().metric);
    chips.replaceChildren(...options.changed().map(([name, words]) => {
      const chip = document.createElement("span"), button = document.createElement("button");
      chip.className = "chip";
      chip.dataset.of = name;
      Object.assign(button, { type: "button", textContent: "×" });
      button.setAttribute("aria-label", `Take back: ${words}`);
      button.addEventListener("click", () => { options.reset(name); drawChips(); changed(); });
      chip.append(words, button);
      return chip;
    }));
  };

  const plain = request();  // as the page came
  const first = JSON.stringify(plain);

  /** The pair in this tab's storage, and in the address while the tab is shown. */
  const keep = async (asked) => {
    const mine = ++saved, text = JSON.stringify(asked);
    try { sessionStorage.setItem(KEPT, text); } catch { /* storage is full, or not allowed in a frame */ }
    const hash = text === first ? "" : await docscoreLinks.toHash(asked);
    if (mine !== saved || !docscoreIsShown("pair")) return;
    const address = hash.length > LONGEST_ADDRESS ? "#one-pair" : hash;
    history.replaceState(null, "", address || location.pathname + location.search);
  };

  const take = (values) => {
    options.take({ ...values.options, metric: values.metric, reading: values.reading });
    for (const side of SIDES) editors[side].replace(values[side]);
    drawChips();
    result.dataset.stale = "";
    return score();
  };

  screen.addEventListener("click", (event) => {
    const { example, toSeg } = event.target.dataset;
    if (example !== undefined) {
      const { title, truth, prediction } = settings.examples[example];
      event.target.closest("details").open = false;
      part("example").textContent = title;
      take({ ...plain, truth, prediction });
    }
    if (toSeg) {
      screen.dataset.seg = toSeg;
      for (const button of screen.querySelectorAll("[data-to-seg]")) button.setAttribute("aria-pressed", String(button === event.target));
      for (const side of SIDES) editors[side].draw();
    }
  });
  part("options").addEventListener("input", () => { drawChips(); changed(); });
  part("act").addEventListener("click", () => act?.());
  part("more").addEventListener("click", (event) => {
    event.target.setAttribute("aria-expanded", String(screen.classList.toggle("with-setup")));
  });
  screen.addEventListener("input", (event) => { if (event.target.matches("textarea")) part("example").textContent = ""; });
  screen.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) { event.preventDefault(); score(); }
    if (event.key !== "Escape") return;
    for (const side of SIDES) editors[side].show(undefined);
    here(null);
    if (act === stop) stop();
  });

  part("link").addEventListener("click", async () => {
    const link = new URL(await docscoreLinks.toHash(request()), location.href).href;
    history.replaceState(null, "", link);
    setStatus(await docscoreLinks.copy(link));
  });

  document.addEventListener("docscore-tab", (event) => { if (event.detail === "pair" && "ready" in screen.dataset && !location.hash.startsWith("#pair=")) keep(request()); });

  const kept = () => {
    try { return JSON.parse(sessionStorage.getItem(KEPT) ?? "null"); } catch { return null; }
  };

  /** Open the pair of the address, else the one that this browser tab had. */
  const follow = async (event) => {
    let link;
    try { link = await docscoreLinks.fromHash(location.hash, settings.longest); }
    catch (error) { setStatus(`This link was not opened: ${error.message}.`); return; }
    const own = link === undefined && !event ? kept() : null;
    if (link === undefined && own === null) return;
    const found = await docscoreAnswer(server.open_link, { link: link ?? own });
    if (found.refused) { if (!own) setStatus(`This link was not opened: ${found.refused}.`); return; }
    part("example").textContent = "";
    await take(found);
  };

  drawChips();
  show(settings.first);
  window.addEventListener("hashchange", follow);
  follow(null).finally(() => { screen.dataset.ready = ""; });
};
