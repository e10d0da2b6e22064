// The tab for reviews: takes files and options, and a verdict for each place by one key; scores after follow.

/** @typedef {Server.SchemaOptions & {metric: string, parse: string, missing: string, skip: boolean, blind: boolean}} ReviewOptions */
/** Verdicts that this browser keeps, by place. @typedef {Record<string, [verdict: string, answer: string | null, value: string]>} KeptVerdicts */
/** @typedef {{fingerprint: string, verdicts: KeptVerdicts, earlier?: KeptVerdicts}} KeptFile */

const docscoreReview = (/** @type {HTMLElement} */ root, /** @type {Server.Functions} */ server) => {
  const PAUSE = 300, SHOWN = 8000, SCORED = 150, PATIENCE = 400;  // milliseconds until options are taken, of a toast, until verdicts are scored, until a run is announced
  const SURE = 3;  // places of a group that are decided alike before one verdict may decide the others
  const SAMPLE = 80;  // places that are drawn
  const LARGE = 0.2;  // share of what is open from which a group is named
  const MOST_GROUPS = 20;  // in the table of what they gave back
  const KEPT = "docscore-review ";

  const screen = docscoreFind(root, ".rv"), part = docscoreParts(screen, ".rv-");
  /** @type {Server.Upload[]} */
  const examples = JSON.parse(screen.dataset.examples ?? "[]");
  /** @type {Options<ReviewOptions>} */
  const options = docscoreOptions(part("options"));
  const runs = docscoreRunner("review", server.begin_review, server), scorer = docscoreAsker(server.score_verdicts);
  const crop = docscoreElement("div", "rv-crop-place");
  const pane = docscoreReviewDocument(docscoreFind(screen, ".review-document"), { crop, add: (given) => { sift(given); } });
  const list = docscoreReviewList(part("list"), (number) => go(number));
  const find = part("find", HTMLInputElement), every = docscoreFind(part("all"), "input", HTMLInputElement);
  const neither = part("neither", HTMLFormElement), typed = docscoreFind(neither, "textarea", HTMLTextAreaElement);
  const box = new DropBox(docscoreFind(screen, ".drop"), server, {
    isPair: false, examples, verb: "Review", run: (chosen) => begin(chosen), sift: (given) => sift(given),
    truth: ["ground truth, with the text if you have it", '{"question_id", "references", "text"}'],
    allowed: () => { const { missing, skip } = options.read(); return { missing, skip }; },
    allow: (option) => { options.take(option); drawChips(); },
  });

  /** @typedef {Pick<Server.ReviewRequest, "references" | "predictions" | "names" | "reading">} ReviewedFiles */
  /** @type {ReviewedFiles | null} */
  let files = null;
  /** @type {Server.Review | null} */
  let result = null;
  /** @type {{verdicts: string | null, texts: string | null, sample: number, sample_of: string}} */
  let extra = { verdicts: null, texts: null, sample: 0, sample_of: "" };  // beside files and options
  let mode = "agree";  // which places are listed: where predictions agree, "all", those of an "earlier" file
  /** @type {Map<number, Decision>} */
  let decisions = new Map();
  /** @type {[number, Decision | undefined][][]} */
  let steps = [];  // what each step changed, the newest last
  /** @type {Group[]} */
  let groups = [];
  /** @type {Map<number, Group>} */
  let groupsByPlace = new Map();
  /** @type {number[]} */
  let order = [];  // of what is listed
  /** @type {Map<number, Decision>} */
  let earlier = new Map();
  let current = -1, chosen = 0, timer = 0, patience = 0, toastTimer = 0, scoring = 0, writing = 0, drawing = 0, newest = 0;
  /** @type {Set<number>} */
  let picked = new Set();
  /** @type {Set<number>} */
  const stale = new Set();  // documents whose scores are computed
  /** @type {Map<number, number[]>} */
  const gains = new Map();
  /** @type {Map<number, Promise<Server.Beside | Server.Refusal>>} */
  const asides = new Map();

  const places = () => result?.places ?? [];
  const isBlind = () => options.read().blind;
  const say = (/** @type {string} */ text) => { part("heard").textContent = text; };
  const references = () => docscoreFileName(result?.asked.references ?? result?.asked.predictions[0] ?? "");

  // What is asked for

  const request = () => {
    const { metric, parse, missing, skip, blind: _, ...whatIf } = options.read();
    return files && { ...files, ...extra, metric, parse: parse || null, missing, skip, what_if: whatIf };
  };

  const takeOptions = (/** @type {Server.ReviewRequest} */ { parse, missing, skip, what_if: whatIf }) => {
    options.take({ parse: parse ?? "", missing, skip, ...whatIf });
    drawChips();
  };

  const drawChips = () => {
    options.show("anls_star");
    options.chips(part("chips"), options.changed().map(({ name, words, show }) => ({
      words, show, takeBack: () => { options.reset(name); drawChips(); if (name === "blind") drawAll(); else run(); },
    })));
  };

  const begin = (/** @type {Chosen} */ { truth, predictions, reading }) => {
    files = { references: truth?.path ?? null, predictions: predictions.map(({ path }) => path), names: [], reading };
    extra = { ...extra, sample: 0, sample_of: "" };
    mode = "agree";
    run();
  };

  /** The name of an uploaded file on the server; an error where it does not take it. */
  const upload = async (/** @type {File} */ file) => {
    const form = new FormData();
    form.append("files", file, file.name);
    const answer = await fetch("gradio_api/upload", { method: "POST", body: form });
    if (!answer.ok) throw new Error(`${docscorePrintable(file.name)} could not be uploaded.`);
    /** @type {string[]} */
    const [path] = await answer.json();
    return path;
  };

  /** Page images, texts and verdicts among files that were given; the rest goes into the drop box. */
  const sift = async (/** @type {File[]} */ given) => {
    const others = pane.take(given), isText = (/** @type {File} */ file) => !file.type.startsWith("image/") && !others.includes(file);
    const sorted = await Promise.all(others.map(async (file) => ({ file, isReview: await isReview(file) })));
    const verdicts = sorted.find((each) => each.isReview)?.file, count = given.filter(isText).length, images = given.length - others.length - count;
    const counted = (/** @type {number} */ number, /** @type {string} */ name) => (number ? [`${number.toLocaleString("en")} ${name}${number === 1 ? "" : "s"}`] : []);
    const added = [...counted(images, "page image"), ...counted(count, "text")].join(", ");
    const said = [...(added ? [`Added: ${added}.`] : []), ...(verdicts ? [`${docscorePrintable(verdicts.name)}: its verdicts are taken over.`] : [])].join(" ");
    try {
      const texts = count ? await pane.texts() : null;
      if (texts) extra.texts = await upload(texts);
      if (verdicts) extra.verdicts = await upload(verdicts);
      if (said && result) toast(said, false); else if (said) part("also").textContent = said;
    } catch (error) {
      const fault = docscoreSentence(error instanceof Error ? error.message : String(error));
      if (result) notice(fault, "", [["Close", () => notice("")]]); else part("also").textContent = fault;
    }
    if (result && (count || verdicts)) run();
    else if (result) drawItem();
    return sorted.filter((each) => !each.isReview).map(({ file }) => file);
  };

  const isReview = async (/** @type {File} */ file) => {
    if (!/\.jsonl$/i.test(file.name)) return false;
    try {
      const line = JSON.parse((await file.slice(0, 100_000).text()).split("\n")[0]);
      return typeof line === "object" && "judged" in line && "verdict" in line;
    } catch { return false; }
  };

  // A run

  const notice = (/** @type {string} */ title, detail = "", /** @type {[string, () => void][]} */ acts = [], /** @type {number | null} */ share = null) => docscoreNotice(part, title, detail, acts, share);

  const run = async () => {
    clearTimeout(timer);
    const asked = request();
    if (!asked) return;
    const isFirst = result === null;
    const show = (/** @type {number} */ share, /** @type {string} */ text) => {
      clearTimeout(patience);
      if (isFirst) box.busy(text || "Comparing …", share, runs.stop);
      else notice("Comparing …", text, [["Cancel", runs.stop]], share);
    };
    clearTimeout(patience);
    patience = setTimeout(() => show(0, ""), isFirst ? 0 : PATIENCE);
    const mine = ++newest, found = await runs.run(asked, show);
    if (!found || mine !== newest) return;
    clearTimeout(patience);
    box.idle();
    extra.verdicts = null;
    if (!("refused" in found)) { draw(found); return; }
    if (found.refused.startsWith("texts:")) extra.texts = result?.asked.texts ?? null;
    const said = found.kind === "stopped" ? "" : `Not reviewed: ${docscoreSentence(found.refused)}`;
    if (isFirst) { setState("empty"); if (said && !box.items.length) changeFiles(); box.say(said); }
    else if (said) notice(said, "", [["Change the files", changeFiles], ["Keep this review", restore]]);
    else restore();
  };

  /** The files and options of the review that is shown. */
  const restore = () => {
    if (!result) return;
    const { asked } = result;
    files = { references: asked.references, predictions: asked.predictions, names: asked.names, reading: asked.reading };
    extra = { verdicts: null, texts: asked.texts, sample: asked.sample, sample_of: asked.sample_of };
    takeOptions(asked);
    setState("shown");
    notice("");
  };

  const setState = (/** @type {"empty" | "shown"} */ state) => docscoreSetState(screen, state, part("options"), part("export"));

  const changeFiles = () => {
    newest += 1;
    runs.stop();
    clearTimeout(patience);
    notice("");
    setState("empty");
    if (files) box.takeAgain(files, result ? restore : null);
  };

  // What is kept in this browser

  const keyOf = (/** @type {Server.Place} */ { id, path, row, reference }) => JSON.stringify([id, path, row, reference]);
  const storageKey = () => KEPT + [references(), ...(result?.asked.predictions ?? []).map(docscoreFileName)].join(" ");

  /** @returns {KeptFile | null} */
  const stored = () => {
    try { return JSON.parse(localStorage.getItem(storageKey()) ?? "null"); } catch { return null; }
  };

  /** @type {KeptVerdicts} */
  let kept = {};  // those of places that another list has, too
  /** @type {KeptVerdicts | undefined} */
  let keptEarlier;

  const keep = (/** @type {number[]} */ changed) => {
    if (!result) return;
    for (const number of changed) {
      const place = places()[number], decision = decisions.get(number);
      if (decision) kept[keyOf(place)] = [decision.verdict, place.answers[decision.answer]?.text ?? null, decision.value];
      else delete kept[keyOf(place)];
      delete keptEarlier?.[keyOf(place)];
    }
    if (!writing) writing = setTimeout(write, 0);
  };

  /** Write what is kept; the answer to a key does not wait for it. */
  const write = () => {
    clearTimeout(writing);
    writing = 0;
    if (!result) return;
    try { localStorage.setItem(storageKey(), JSON.stringify({ fingerprint: result.fingerprint, verdicts: kept, ...(keptEarlier ? { earlier: keptEarlier } : {}) })); }
    catch { notice("This browser cannot keep the verdicts.", "Download them before you leave the page."); }
  };

  /** The verdicts among these that fit a place of this review. */
  const fitting = (/** @type {KeptVerdicts} */ verdicts) => {
    /** @type {Map<number, Decision>} */
    const found = new Map();
    places().forEach((place, number) => {
      const of = verdicts[keyOf(place)];
      if (!of) return;
      const answer = place.answers.findIndex(({ text }) => text === of[1]);
      if (answer >= 0 || !["prediction", "both"].includes(of[0])) found.set(number, { verdict: of[0], answer: Math.max(0, answer), value: of[2] });
    });
    return found;
  };

  const takeKept = () => {
    const file = stored(), isSame = file?.fingerprint === result?.fingerprint;
    kept = isSame && file ? file.verdicts : {};
    keptEarlier = isSame ? file?.earlier : file?.verdicts;
    decisions = fitting(kept);
    const count = Object.keys(keptEarlier ?? {}).length;
    earlier = fitting(keptEarlier ?? {});
    if (count) offerEarlier(count, earlier.size);
  };

  const offerEarlier = (/** @type {number} */ count, /** @type {number} */ fit) => {
    const gone = count - fit, forget = () => { keptEarlier = undefined; earlier = new Map(); notice(""); keep([]); if (mode === "earlier") setMode("agree"); };
    const of = `${count} verdict${count === 1 ? "" : "s"} of an earlier file`;
    notice(`${of}: ${fit} fit${fit === 1 ? "s" : ""}${gone ? `, ${gone} place${gone === 1 ? " is" : "s are"} gone` : ""}.`, "", [...(fit ? /** @type {[string, () => void][]} */ ([["Look at them again", () => { notice(""); setMode("earlier"); }]]) : []), /** @type {[string, () => void]} */ (["Discard", forget])]);
  };

  // The result

  const draw = (/** @type {Server.Review} */ found) => {
    if (writing) write();
    const before = places()[current] && keyOf(places()[current]);
    result = found;
    const { asked, systems, count } = found;
    restore();
    steps = [];
    for (const each of [gains, asides, stale]) each.clear();
    takeKept();
    const soft = (/** @type {string} */ text) => docscoreElement("span", "soft", text);
    part("what").replaceChildren(...(asked.references ? [docscoreElement("code", "", references()), soft(" × ")] : []), systems.length === 1 ? systems[0].name : `${systems.length} systems`, soft(` · ${count.toLocaleString("en")} document${count === 1 ? "" : "s"}`));
    part("left-out").textContent = found.left_out.join(" ");
    docscoreFind(screen, "#review-python").textContent = found.python;
    if (systems.length === 1 && mode === "agree") mode = "all";
    if (found.sampled !== null) mode = "sample";
    keepAddress();
    score([...decisions.keys()]);
    drawAll();
    if (found.decided) takeVerdicts(found.decided);
    const open = next(-1), same = order.find((number) => keyOf(places()[number]) === before);
    go(same ?? open ?? order[0] ?? -1);
    if (open === null && order.length) finish();
  };

  /** Verdicts of a file: those on the same ground truths are taken over, others are looked at again. */
  const takeVerdicts = (/** @type {Server.DecidedBefore} */ { verdicts, gone }) => {
    const same = verdicts.filter((each) => each.same), others = verdicts.filter((each) => !each.same);
    apply(same.map(({ number, verdict, answer, value }) => [number, { verdict, answer, value }]));
    toast(`${same.length} verdict${same.length === 1 ? " is" : "s are"} taken over.`);
    if (!others.length && !gone) return;
    for (const { number, verdict, answer, value } of others) earlier.set(number, { verdict, answer, value });
    offerEarlier(others.length + gone, others.length);
  };

  const MODES = () => {
    const several = (result?.systems.length ?? 0) > 1;
    return [
      ...(several ? [{ name: "agree", label: "Where predictions agree" }] : []),
      { name: "all", label: "Everything that is not exact" },
      ...(result?.asked.names ?? []).map((name) => ({ name: `sample ${name}`, label: `A random sample of what ${name} lost` })),
      ...(earlier.size ? [{ name: "earlier", label: "Of an earlier file" }] : []),
    ];
  };

  const setMode = (/** @type {string} */ name) => {
    part("lists").removeAttribute("open");
    if (name.startsWith("sample ")) { extra = { ...extra, sample: SAMPLE, sample_of: name.slice(7) }; mode = "sample"; run(); return; }
    mode = name;
    if (extra.sample) { extra = { ...extra, sample: 0, sample_of: "" }; run(); return; }
    drawAll();
    const open = next(-1);
    go(open ?? order[0] ?? -1);
    if (open === null && order.length) finish();
  };

  /** The places of the list, those that are found, in groups. */
  const drawAll = () => {
    if (!result) return;
    const wanted = find.value.trim().toLowerCase(), several = result.systems.length > 1;
    const isListed = (/** @type {Server.Place} */ place, /** @type {number} */ number) =>
      (mode === "earlier" ? earlier.has(number) : mode !== "agree" || place.agree >= 2)
      && (!wanted || [place.id, docscorePlaceName(place), place.truth, ...place.answers.map(({ text }) => text)].some((text) => text?.toLowerCase().includes(wanted)));
    const numbers = [...result.places.keys()].filter((number) => isListed(result?.places[number] ?? places()[0], number));
    groups = docscoreGroups(result.places, numbers);
    order = groups.flatMap((group) => group.numbers);
    groupsByPlace = new Map(groups.flatMap((group) => group.numbers.map((number) => [number, group])));
    list.show(result.places, groups, decisions, { agreeing: several && mode !== "sample", isBlind: isBlind() });
    const label = mode === "sample" ? `A sample of what ${result.systems[result.sampled ?? 0].name} lost` : MODES().find(({ name }) => name === mode)?.label ?? "";
    part("list-name").textContent = label;
    docscoreFind(part("lists"), "ul").replaceChildren(...MODES().map(({ name, label: words }) => {
      const button = docscoreButton("", words, () => setMode(name));
      button.setAttribute("aria-pressed", String(name === mode || (mode === "sample" && name === `sample ${extra.sample_of}`)));
      return docscoreElement("li", "", button);
    }));
    part("none").replaceChildren(...(order.length ? [] : nothing(Boolean(wanted))));
    screen.toggleAttribute("data-none", !order.length);
    screen.toggleAttribute("data-blind", isBlind());
    drawHead();
    if (order.length && !order.includes(current)) go(next(-1) ?? order[0]);
    else drawItem();
  };

  const nothing = (/** @type {boolean} */ isSought) => {
    if (isSought) return ["No place contains this text."];
    const count = result?.count ?? 0, documents = `${count.toLocaleString("en")} document${count === 1 ? "" : "s"}`;
    if (mode !== "agree") return [`No prediction loses points in ${count === 1 ? "this" : "these"} ${documents}.`];
    return [`No two systems agree against a ground truth in ${count === 1 ? "this" : "these"} ${documents}. `, ...MODES().filter(({ name }) => name !== "agree").map(({ name, label }) => docscoreButton("btn", label, () => setMode(name)))];
  };

  // Head

  const listedDecided = () => order.reduce((count, number) => count + Number(decisions.has(number)), 0);

  const drawHead = () => {
    if (!result) return;
    const decided = listedDecided(), all = order.length;
    part("count").textContent = decided.toLocaleString("en");
    part("of").textContent = `of ${all.toLocaleString("en")} decided`;
    part("progress").style.setProperty("--v", String(all ? decided / all : 0));
    for (const [name, value] of Object.entries({ valuenow: decided, valuemin: 0, valuemax: all })) part("progress").setAttribute(`aria-${name}`, String(value));
    drawScores();
    const isDone = all > 0 && decided === all, largest = largestOpen(all - decided);
    const most = Math.max(0, ...groups.filter(({ alike }) => alike).map(({ numbers }) => numbers.length));
    const { title, text } = isDone ? docscoreReviewDone.conclusion(decidedPlaces())
      : largest ? { title: `${largest.open} of ${decided ? "the " : ""}${(all - decided).toLocaleString("en")}${decided ? " left" : ""} are alike: ${docscoreGroupName(largest.name, isBlind())}`, text: largest.open > SURE ? "After three of them, one verdict decides the others." : "One verdict decides them all." }
        : { title: most > 1 ? `${(all - decided).toLocaleString("en")} places to decide; the largest group has ${most.toLocaleString("en")}.` : all ? "No two places are alike." : "Nothing to decide in this list.", text: "" };
    part("title").textContent = title;
    part("text").textContent = text;
    const act = part("act");
    act.hidden = !isDone && !largest;
    act.textContent = isDone ? "Summary" : "Show them";
    act.onclick = () => { if (isDone) finish(); else if (largest) go(largest.first); };
    part("references").textContent = `${references().replace(/(\.[^.]+)$/, "_corrected$1")}, ${result.count.toLocaleString("en")} documents`;
    part("verdicts").textContent = `verdicts.jsonl, ${decisions.size.toLocaleString("en")} decided`;
    docscoreFind(screen, ".rv-undo", HTMLButtonElement).disabled = !steps.length;
  };

  /** The largest open group, if it is a fifth of what is open. */
  const largestOpen = (/** @type {number} */ left) => {
    const open = groups.filter(({ alike }) => alike).map(({ name, numbers }) => ({ name, numbers: numbers.filter((number) => !decisions.has(number)) }))
      .map(({ name, numbers }) => ({ name, open: numbers.length, first: numbers[0] })).sort((one, other) => other.open - one.open)[0];
    return open && open.open > 1 && open.open >= LARGE * left ? open : null;
  };

  const decidedPlaces = () => order.flatMap((number) => {
    const decision = decisions.get(number);
    return decision ? [{ place: places()[number], decision }] : [];
  });

  /** Scores after: those before, and what the corrected documents gain. */
  const after = () => (result?.systems ?? []).map(({ score: before }, system) => {
    let sum = 0;
    for (const gained of gains.values()) sum += gained[system];
    return before + sum / (result?.count ?? 1);
  });

  const drawScores = () => {
    if (!result) return;
    docscoreReviewScores.draw(part("moves"), result.systems, after(), stale.size > 0);
    const own = part("done").querySelector(".rv-moves-done");
    if (own instanceof HTMLElement) docscoreReviewScores.draw(own, result.systems, after(), stale.size > 0, true);
  };

  const asText = (/** @type {Iterable<[number, Decision]>} */ all) => JSON.stringify([...all].map(([number, { verdict, answer, value }]) => [number, verdict, answer, value]));

  /** The documents of these places are scored again with their verdicts. */
  const score = (/** @type {number[]} */ numbers) => {
    for (const number of numbers) stale.add(places()[number].document);
    clearTimeout(scoring);
    if (stale.size) scoring = setTimeout(ask, SCORED);
  };

  const ask = async () => {
    if (!result) return;
    const asked = new Set(stale), { run: name } = result;
    const decided = () => asText([...decisions].filter(([number]) => asked.has(places()[number].document))), verdicts = decided();
    const found = await scorer.ask({ run: name, verdicts });
    if (!found || result.run !== name) return;
    if ("refused" in found) {
      notice("The scores are old.", docscoreSentence(found.refused), [/** @type {[string, () => void]} */ (found.kind === "gone" ? ["Review again", run] : ["Try again", () => { notice(""); ask(); }]), ...(steps.length ? /** @type {[string, () => void][]} */ ([["Undo", undo]]) : [])]);
      return;
    }
    if (part("notice-title").textContent === "The scores are old.") notice("");
    if (verdicts !== decided()) return;  // what was decided since is asked next
    for (const document of asked) { gains.delete(document); stale.delete(document); }
    for (const [document, ...gained] of found.gains) gains.set(document, gained);
    drawScores();
  };

  // A place

  /** The next open place of the list behind one, and then from its beginning; null if all are decided. */
  const next = (/** @type {number} */ from) => {
    const at = order.indexOf(from);
    return [...order.slice(at + 1), ...order.slice(0, at + 1)].find((number) => !decisions.has(number)) ?? null;
  };

  const go = (/** @type {number} */ number) => {
    current = number;
    chosen = decisions.get(number)?.answer ?? 0;
    picked = new Set();
    every.checked = false;
    closeNeither();
    showItem();
    list.mark(number);
    drawItem();
    screen.classList.remove("with-list");
  };

  const step = (/** @type {number} */ by) => {
    const to = order[order.indexOf(current) + by];
    if (to !== undefined) go(to);
  };

  const groupOf = (/** @type {number} */ number) => { const group = groupsByPlace.get(number); return group?.alike ? group : undefined; };

  const drawItem = () => {
    const place = places()[current];
    if (!result || !place) { pane.clear(); return; }
    const { systems } = result, several = systems.length > 1, group = groupOf(current);
    part("path").textContent = docscorePlaceName(place);
    part("path").title = docscorePlaceName(place);
    const before = earlier.get(current), said = before && !decisions.has(current) ? ` · earlier: ${docscoreVerdictWords(place, before.verdict)}` : "";
    const [first] = place.answers, isAlone = place.agree === 1 && first?.systems.length === 1;
    const agreement = isAlone ? `Only ${systems[first.systems[0]].name} says this` : `${place.agree} of ${place.of} agree`;
    part("who").replaceChildren(docscoreElement("span", "mono", place.id), `${several && mode !== "sample" ? ` · ${agreement}` : ""}${place.drawn > 1 ? ` · drawn ${place.drawn} times` : ""}${said}`);
    const body = part("body"), number = current;
    docscoreReviewItem.draw(body, place, { systems: systems.map(({ name }) => name), references: references(), chosen, size: group?.numbers.length ?? 1, isBlind: isBlind(), picked, choose });
    drawChoices();
    beside(number).then((found) => {
      if (current === number && !("refused" in found)) docscoreReviewItem.beside(body, place, found, go);
    });
    const following = next(number);
    if (following !== null) beside(following);
    docscoreFind(body, ".rv-row").before(crop);
    pane.show({ document: place.id, chosen: isBlind() ? null : chosen, found: beside(number) });
  };

  const beside = (/** @type {number} */ number) => {
    const found = asides.get(number) ?? docscoreAnswer(server.read_beside, { run: result?.run ?? "", number });
    asides.set(number, found);
    return found;
  };

  const choose = (/** @type {number} */ answer) => {
    if (isBlind()) { if (!picked.delete(answer)) picked.add(answer); } else chosen = answer;
    drawItem();
  };

  /** The words of the choices, and which is taken. */
  const drawChoices = () => {
    const place = places()[current], decision = decisions.get(current), several = place.answers.length > 1;
    const it = several && !isBlind() ? String.fromCharCode(65 + chosen) : "it", isAdded = place.truth === null;
    const isGone = place.answers[chosen]?.text === null;
    /** @type {Record<string, [string, string]>} */
    const words = {
      1: place.whole ? [isAdded ? "Not in the document" : "Is in the document", "the systems are wrong"] : ["Ground truth is right", "the systems are wrong"],
      2: place.whole ? [isAdded ? "Is in the document" : "Not in the document", isAdded ? "the row is added" : "the row is removed"] : ["Prediction is right", isGone ? "the value is removed" : `${it} becomes the ground truth`],
      3: ["Both are right", isGone ? "an absent value is accepted as well" : `${it} is accepted as well`],
      4: ["Neither…", "you type what is right"],
      5: ["Cannot tell", "nothing changes"],
    };
    if (isBlind()) words[1] = picked.size > 1 ? ["The chosen values are right", "each is accepted"] : ["The chosen value is right", place.whole ? "choose one above" : "choose one or more above"];
    for (const button of docscoreFindAll(screen, "[data-choice]")) {
      const key = button.dataset.choice ?? "", index = Number(key) - 1;
      button.hidden = (place.whole && (key === "3" || key === "4")) || (isBlind() && (key === "2" || key === "3"));
      docscoreFind(button, "b").textContent = words[key][0];
      docscoreFind(button, "small").textContent = words[key][1];
      button.setAttribute("aria-pressed", String(isBlind() ? Boolean(decision) && key === "1" && ["ground_truth", "prediction", "both"].includes(decision?.verdict ?? "") : decision?.verdict === DOCSCORE_VERDICTS[index]));
    }
    part("choices").toggleAttribute("data-few", place.whole || isBlind());
    drawAllOfGroup();
  };

  /** The box for a whole group: on once three of its places have the same verdict. */
  const drawAllOfGroup = () => {
    const group = isBlind() ? undefined : groupOf(current), label = part("all");
    label.hidden = !group;
    if (!group) { every.checked = false; return; }
    const size = group.numbers.length, until = size > SURE ? untilSure(group) : "";
    every.disabled = until !== "";
    if (every.disabled) every.checked = false;
    docscoreFind(label, "span").textContent = `The same for ${size === 2 ? "both" : `all ${size.toLocaleString("en")}`} of this group${until}`;
  };

  /** Why one verdict may not yet decide a large group: of its places that were drawn, some are open or decided otherwise. */
  const untilSure = (/** @type {Group} */ { numbers }) => {
    const drawn = numbers.slice(0, SURE).map((number) => decisions.get(number)?.verdict), decided = drawn.filter((verdict) => verdict);
    if (new Set(decided).size > 1) return ": its first three differ";
    return decided.length < SURE ? `, after ${SURE - decided.length} more of it` : "";
  };

  // Verdicts

  /** Set verdicts as one step. */
  const apply = (/** @type {[number, Decision][]} */ all) => {
    if (!all.length) return;
    steps.push(all.map(([number]) => [number, decisions.get(number)]));
    for (const [number, decision] of all) decisions.set(number, decision);
    changed(all.map(([number]) => number));
  };

  /** What is at these places is another verdict; the worklist is drawn with the place that comes next. */
  const changed = (/** @type {number[]} */ numbers) => {
    keep(numbers);
    score(numbers);
    if (!drawing) drawing = requestAnimationFrame(() => { drawing = 0; drawHead(); });
  };

  const undo = () => {
    const last = steps.pop();
    if (!last) return;
    for (const [number, before] of last) { if (before) decisions.set(number, before); else decisions.delete(number); }
    changed(last.map(([number]) => number));
    hideToast();
    say(`Undone: ${last.length} value${last.length === 1 ? "" : "s"}.`);
    go(last[0][0]);
  };

  /** The answer of a place that the same systems give. */
  const answerOf = (/** @type {Server.Place} */ place, /** @type {number[]} */ systems) => {
    const shared = place.answers.map((answer) => answer.systems.filter((system) => systems.includes(system)).length), most = Math.max(...shared);
    return most ? shared.indexOf(most) : -1;
  };

  /** A verdict on the current place, and with the box on all open ones of its group. */
  const decide = (/** @type {string} */ verdict, value = "", answer = chosen) => {
    const place = places()[current], group = groupOf(current);
    /** @type {[number, Decision][]} */
    const all = [[current, { verdict, answer, value }]];
    if (every.checked && group) {
      const { systems } = place.answers[answer];
      for (const number of group.numbers) {
        const own = answerOf(places()[number], systems);
        if (number !== current && !decisions.has(number) && own >= 0) all.push([number, { verdict, answer: own, value: "" }]);
      }
    }
    const words = docscoreVerdictWords(place, verdict);
    apply(all);
    if (all.length > 1) toast(`${all.length.toLocaleString("en")} values: ${words}.`); else { hideToast(); say(isBlind() ? "Decided." : `${docscorePlaceName(place)}: ${words}.`); }
    const open = next(current);
    if (open !== null) { go(open); return; }
    list.mark(current);
    if (find.value.trim()) { drawItem(); toast("All places that were found are decided."); } else finish();
  };

  /** Blind: the values that are picked decide which verdict it is. */
  const decideBlind = () => {
    const place = places()[current], answers = [...picked].filter((side) => side >= 0), hasTruth = picked.has(-1);
    if (!picked.size || answers.length > 1 || (place.whole && picked.size > 1)) { say("Choose the ground truth, a prediction, or one of each."); toast(picked.size ? "More than two values cannot be right here." : "Choose a value first.", false); return; }
    decide(answers.length ? (hasTruth ? "both" : "prediction") : "ground_truth", "", answers[0] ?? 0);
  };

  const press = (/** @type {string} */ key) => {
    const button = docscoreFind(screen, `[data-choice="${key}"]`), verdict = DOCSCORE_VERDICTS[Number(key) - 1];
    if (button.hidden || !places()[current] || part("item").hidden) return;
    if (key === "4") { if (neither.hidden) openNeither(); else closeNeither(); }
    else if (key === "1" && isBlind()) decideBlind();
    else decide(verdict);
  };

  const openNeither = () => {
    if (every.checked) toast("Neither is for one place.", false);
    every.checked = false;
    const place = places()[current], decision = decisions.get(current);
    neither.hidden = false;
    docscoreFind(screen, '[data-choice="4"]').setAttribute("aria-pressed", "true");
    typed.value = decision?.verdict === "other" ? decision.value : isBlind() ? "" : place.edit ?? "";
    typed.placeholder = place.truth !== null && place.edit === null ? "too long to be shown here: type all of it" : "";
    typed.focus();
  };

  const closeNeither = () => {
    if (neither.hidden) return;
    const hasFocus = neither.contains(document.activeElement);
    neither.hidden = true;
    if (places()[current]) drawChoices();
    if (hasFocus) part("path").focus({ preventScroll: true });
  };

  const toast = (/** @type {string} */ text, canUndo = true) => {
    part("toast-text").textContent = text;
    docscoreFind(part("toast"), "button").hidden = !canUndo;
    part("toast").hidden = false;
    say(text);
    clearTimeout(toastTimer);
    toastTimer = setTimeout(hideToast, SHOWN);
  };

  const hideToast = () => { part("toast").hidden = true; };

  // Finished

  const showItem = (isDone = false) => {
    part("done").hidden = !isDone;
    part("item").hidden = isDone;
    docscoreFind(screen, ".review-document").hidden = isDone;
    part("panes").toggleAttribute("data-done", isDone);
  };

  const finish = async () => {
    if (!result) return;
    showItem(true);
    const scores = docscoreElement("div", "rv-moves rv-moves-done"), loss = docscoreElement("div", "rv-loss"), table = docscoreElement("div", ""), { run: name, systems } = result;
    docscoreReviewDone.draw(part("done"), {
      decided: decidedPlaces(), loss, scores, groups: table,
      files: { references: references().replace(/(\.[^.]+)$/, "_corrected$1"), count: result.count, download },
    });
    list.fold();
    drawScores();
    drawHead();
    const acts = MODES().filter((each) => each.name.startsWith("sample ")).map((each) => docscoreButton("btn", `Draw ${each.label[0].toLowerCase()}${each.label.slice(1)}`, () => setMode(each.name)));
    if (mode === "sample") {
      const found = await docscoreAnswer(server.export_review, { run: name, verdicts: asText(decisions) });
      if (!("refused" in found) && found.estimate) loss.replaceChildren(...docscoreReviewDone.estimate(found.estimate, SAMPLE));
    } else loss.replaceChildren(docscoreElement("p", "soft", "These places were not drawn at random, so they cannot answer this. A random sample can."), docscoreElement("div", "rv-draws", ...acts));
    // What each group gave back, by itself
    const rows = groups.slice(0, MOST_GROUPS).map(({ name: of, numbers }) => ({
      name: of, numbers, places: numbers.length, gains: /** @type {number[] | null} */ (null),
      verdicts: [...new Set(numbers.map((number) => docscoreVerdictWords(places()[number], decisions.get(number)?.verdict ?? "")))].join(", "),
    }));
    rows.push({ name: groups.length > rows.length ? `All ${groups.length.toLocaleString("en")} groups` : "All", numbers: order, places: order.length, gains: null, verdicts: "" });
    const show = () => table.replaceChildren(docscoreReviewDone.gains(rows, systems.map((system) => system.name)));
    show();
    if (stale.size) { clearTimeout(scoring); await ask(); }  // the scores of all come first
    for (const row of rows) {
      if (result.run !== name || part("done").hidden) return;
      const of = row.numbers.flatMap((number) => { const decision = decisions.get(number); return decision ? [/** @type {[number, Decision]} */ ([number, decision])] : []; });
      const found = await docscoreAnswer(server.score_verdicts, { run: name, verdicts: asText(of) });
      if ("refused" in found) continue;
      row.gains = systems.map((_, at) => found.gains.reduce((sum, each) => sum + each[at + 1], 0) / (result?.count ?? 1));
      show();
    }
  };

  const download = async (/** @type {"references" | "verdicts"} */ name) => {
    if (!result) return;
    const found = await docscoreAnswer(server.export_review, { run: result.run, verdicts: asText(decisions) });
    if ("refused" in found || !found[name]) {
      notice("Nothing to download.", docscoreSentence("refused" in found ? found.refused : found.fault), [["Close", () => notice("")]]);
      return;
    }
    const link = docscoreElement("a", "");
    [link.href, link.download] = [`gradio_api/file=${found[name]}`, docscoreFileName(found[name])];
    link.click();
  };

  // The address

  const keepAddress = () => { if (result && docscoreIsShown("review")) history.replaceState(null, "", `#review=${result.run}`); };

  /** Show the review that the address names. */
  const follow = async () => {
    const name = new URLSearchParams(location.hash.slice(1)).get("review");
    if (!name || result?.run === name) return;
    const found = await docscoreAnswer(server.open_result, { run: name });
    if ("refused" in found || !("places" in found)) box.say(`This review could not be opened: ${docscoreSentence("refused" in found ? found.refused : "it is not a review")} Verdicts are kept in this browser: give the same files again.`);
    else draw({ ...found, decided: null });
  };

  // Events

  /** @type {Record<string, (button: HTMLElement) => void>} */
  const acts = {
    change: changeFiles,
    references: () => { download("references"); },
    verdicts: () => { download("verdicts"); },
    previous: () => step(-1),
    next: () => step(1),
    undo,
    cancel: closeNeither,
    list: () => { docscoreFind(screen, "[data-do=list]").setAttribute("aria-expanded", String(screen.classList.toggle("with-list"))); list.mark(current); },
    more: (button) => button.setAttribute("aria-expanded", String(screen.classList.toggle("with-setup"))),
  };

  screen.addEventListener("click", (event) => {
    const button = docscoreAround(event, "button");
    if (button?.dataset.do) acts[button.dataset.do](button);
    else if (button?.dataset.choice) press(button.dataset.choice);
  });
  neither.addEventListener("submit", (event) => { event.preventDefault(); if (typed.value.trim()) { const { value } = typed; closeNeither(); decide("other", value); } });
  neither.addEventListener("keydown", (event) => {
    if (event.key === "Escape") { event.stopPropagation(); closeNeither(); }
    if (event.target !== typed || event.key !== "Enter" || event.shiftKey || event.isComposing) return;  // with Shift, a new line
    event.preventDefault();
    neither.requestSubmit();
  });
  find.addEventListener("input", drawAll);
  find.addEventListener("keydown", ({ key }) => { if (key === "Enter") part("path").focus({ preventScroll: true }); });
  part("options").addEventListener("input", (event) => {
    drawChips();
    if (screen.dataset.state === "empty") box.check();
    if (!result || screen.dataset.state !== "shown") return;
    if (docscoreAround(event, "[data-option=blind]")) { picked = new Set(); drawAll(); return; }
    clearTimeout(timer);
    timer = setTimeout(run, PAUSE);
  });

  document.addEventListener("keydown", (event) => {
    const { target, key } = event;
    const isTyping = target instanceof Element && target.closest("input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable=true]");
    if (!docscoreIsShown("review") || screen.dataset.state !== "shown" || event.ctrlKey || event.metaKey || event.altKey || isTyping) return;
    if (document.querySelector("dialog[open]") || screen.querySelector("details.pop[open]")) return;
    if (/^[1-5]$/.test(key)) press(key);
    else if (key === "g") { if (!every.disabled && !part("all").hidden) every.checked = !every.checked; }
    else if (key === "u") undo();
    else if (key === "j" || key === "k") step(key === "j" ? 1 : -1);
    else if (key === "/") find.focus();
    else if (/^[a-h]$/.test(key)) chooseByLetter(key.charCodeAt(0) - 97);
    else return;
    event.preventDefault();
  });

  const chooseByLetter = (/** @type {number} */ at) => {
    const place = places()[current];
    if (!place || part("item").hidden) return;
    const side = isBlind() ? docscoreReviewItem.blindOrder(place)[at] : at;
    if (side !== undefined && (isBlind() || at < place.answers.length)) choose(side);
  };

  document.addEventListener("docscore-tab", (event) => { if (event.detail === "review" && location.hash === "#review") keepAddress(); });
  document.addEventListener("docscore-review", ({ detail: { references: truth = null, predictions = [], names = [], reading = {}, parse = null, missing, skip = false, what_if: whatIf } }) => {
    files = { references: truth, predictions, names, reading };
    extra = { verdicts: null, texts: null, sample: 0, sample_of: "" };
    mode = "agree";
    options.take({ parse: parse ?? "", missing: missing ?? reading.missing ?? "error", skip, ...whatIf });
    drawChips();
    location.hash = "#review";
    run();
  });
  for (const kind of /** @type {const} */ (["dragover", "drop"])) {  // verdicts may be dropped on a review
    screen.addEventListener(kind, (event) => {
      if (screen.dataset.state !== "shown" || !event.dataTransfer?.types.includes("Files")) return;
      event.preventDefault();
      if (kind === "drop") docscoreDropped(event.dataTransfer).then(sift);
    });
  }
  window.addEventListener("hashchange", follow);
  window.addEventListener("pagehide", () => { if (writing) write(); });
  drawChips();
  setState("empty");
  follow().finally(() => { screen.dataset.ready = ""; });
};
