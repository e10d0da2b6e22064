// The worklist of a review: groups of similar places, of which only what is in view is drawn.

/** @typedef {{verdict: string, answer: number, value: string}} Decision */
/** A group with the numbers of its places; what is alike has a name. @typedef {{name: string, numbers: number[], alike: boolean}} Group */
/** @typedef {{id: string, height: number, group: Group, number: number | null, draw: () => HTMLElement}} ListRow */

const DOCSCORE_VERDICTS = ["ground_truth", "prediction", "both", "other", "unclear"];  // by their keys, from 1
const DOCSCORE_ALONE = "Single places";

/** The words of a verdict on a place. */
const docscoreVerdictWords = (/** @type {Server.Place} */ place, /** @type {string} */ verdict) => {
  const [is, not] = ["is in the document", "not in the document"];
  if (place.whole && verdict === "ground_truth") return place.truth === null ? not : is;
  if (place.whole && verdict === "prediction") return place.truth === null ? is : not;
  return { ground_truth: "ground truth is right", prediction: "prediction is right", both: "both are right", other: "neither is right" }[verdict] ?? "cannot tell";
};

/** The name of a place: its path without the root; a new row of a list has no number. */
const docscorePlaceName = (/** @type {Server.Place} */ { path, row }) => (path.replace(/^\$\.?/, "") || (row === null ? "the whole value" : "")) + (row === null ? "" : "[+]");

/** The name of a group; without names of sides, only its field: the difference would tell which value is whose. */
const docscoreGroupName = (/** @type {string} */ name, /** @type {boolean} */ isBlind) => (isBlind ? name.split(": ")[0] : name);

/** A number by which things are in random order, always the same for the same text. */
const docscoreHash = (/** @type {string} */ text) => {
  let hash = 2166136261;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 16777619);
  return (Math.imul(hash ^ (hash >>> 15), 2246822507) ^ (hash >>> 13)) >>> 0;
};

const DOCSCORE_FIRST = 3;  // places of a group that are shown, drawn at random

/**
 * The groups of places, most at stake first; places of which there is one of a kind are the last.
 * @param {Server.Place[]} places
 * @param {number[]} numbers  of the places that are listed
 */
const docscoreGroups = (places, numbers) => {
  /** @type {Map<string, number[]>} */
  const found = new Map();
  for (const number of numbers) {
    const { group } = places[number];
    const members = found.get(group);
    if (members) members.push(number); else found.set(group, [number]);
  }
  const stake = (/** @type {number[]} */ members) => members.reduce((sum, number) => sum + places[number].points.reduce((one, other) => one + other, 0), 0);
  const random = (/** @type {number} */ number) => docscoreHash(`${places[number].judged} ${places[number].id} ${places[number].path} ${places[number].row}`);
  /** @type {Group[]} */
  const groups = [...found].filter(([, members]) => members.length > 1)
    .map(([name, members]) => ({ name, stake: stake(members), members }))
    .sort((one, other) => other.stake - one.stake)
    .map(({ name, members }) => {
      if (members.length <= DOCSCORE_FIRST) return { name, numbers: members, alike: true };
      const first = members.map((number) => ({ number, key: random(number) })).sort((one, other) => one.key - other.key).slice(0, DOCSCORE_FIRST).map(({ number }) => number);
      const taken = new Set(first);
      return { name, numbers: [...first, ...members.filter((number) => !taken.has(number))], alike: true };
    });
  const alone = [...found.values()].filter((members) => members.length === 1).map(([number]) => number);
  return alone.length ? [...groups, { name: DOCSCORE_ALONE, numbers: alone, alike: false }] : groups;
};

const docscoreTick = (/** @type {string} */ label) => {
  const found = docscoreElement("span", "rv-tick");
  found.setAttribute("role", "img");
  found.setAttribute("aria-label", label);
  return found;
};

/**
 * @param {HTMLElement} scroller  with a room in it
 * @param {(number: number) => void} open  a place was pressed
 */
const docscoreReviewList = (scroller, open) => {
  const BEYOND = 200, HEAD = 32;  // pixels above and below the view that are drawn, and of the head of a group
  const room = docscoreFind(scroller, ".room");
  /** @type {Group[]} */
  let groups = [];
  /** @type {Server.Place[]} */
  let places = [];
  /** @type {Map<number, Decision>} */
  let decisions = new Map();
  /** @type {ListRow[]} */
  let rows = [];
  /** @type {Map<number, Group>} */
  let groupOf = new Map();
  /** @type {Map<number, number>} */
  let rowOf = new Map();  // by the number of a place
  let tops = new Float64Array(1), height = 0, current = -1, agreeing = true, isBlind = false;
  const folded = new Set(), whole = new Set();  // names of groups that are closed, and that are shown with all their places
  const narrow = matchMedia("(max-width: 720px)");

  const countDecided = (/** @type {Group} */ { numbers }) => numbers.reduce((count, number) => count + Number(decisions.has(number)), 0);

  const head = (/** @type {Group} */ group) => {
    const { name, numbers } = group, decided = countDecided(group), isDone = decided === numbers.length;
    const words = docscoreGroupName(name, isBlind), title = docscoreElement("span", "cut", words), found = docscoreButton(`rv-kind${isDone ? " done" : ""}`, "", () => {
      if (!folded.delete(name)) folded.add(name);
      redraw();
    });
    title.title = words;
    const state = isDone ? docscoreTick("all decided") : decided ? docscoreElement("span", "rv-some", `${decided} decided`) : "";
    found.append(docscoreElement("span", "rv-twig"), title, docscoreElement("span", "rv-size", `· ${numbers.length}`), docscoreElement("span", "grow"), state);
    found.setAttribute("aria-expanded", String(!folded.has(name)));
    return found;
  };

  const item = (/** @type {number} */ number) => {
    const place = places[number], decision = decisions.get(number), isHere = number === current;
    const found = docscoreButton(`rv-it${decision ? " done" : ""}`, "", () => open(number));
    const state = decision ? docscoreTick("decided") : docscoreElement("span", "rv-state");
    if (!decision) { state.setAttribute("role", "img"); state.setAttribute("aria-label", isHere ? "this one" : "open"); }
    const words = decision && !isBlind ? ` · ${docscoreVerdictWords(place, decision.verdict)}` : decision ? " · decided" : "";
    found.append(state, docscoreElement("span", "mono cut", docscorePlaceName(place)), docscoreElement("small", "", agreeing ? `${place.agree} of ${place.of}` : ""), docscoreElement("small", "cut", place.id + words));
    if (isHere) found.setAttribute("aria-current", "true");
    return found;
  };

  /** Where each row stands; what is in view is drawn then. */
  const layOut = () => {
    const [ofHead, ofItem, ofMore] = narrow.matches ? [44, 50, 40] : [32, 44, 28];
    rows = groups.flatMap((group) => {
      /** @type {ListRow[]} */
      const found = [{ id: `group ${group.name}`, height: ofHead, group, number: null, draw: () => head(group) }];
      if (folded.has(group.name)) return found;
      const isCut = !whole.has(group.name) && group.alike && group.numbers.length > DOCSCORE_FIRST + 1;
      const shown = isCut ? group.numbers.filter((number, at) => at < DOCSCORE_FIRST || number === current) : group.numbers;
      for (const number of shown) found.push({ id: `place ${number}`, height: ofItem, group, number, draw: () => item(number) });
      const rest = group.numbers.length - shown.length;
      if (rest) found.push({ id: `more ${group.name}`, height: ofMore, group, number: null, draw: () => docscoreButton("rv-more", `${rest.toLocaleString("en")} more`, () => { whole.add(group.name); redraw(); }) });
      return found;
    });
    tops = new Float64Array(rows.length + 1);
    rows.forEach(({ height }, at) => { tops[at + 1] = tops[at] + height; });
    room.style.height = `${tops[rows.length]}px`;
    rowOf = new Map(rows.flatMap(({ number }, at) => (number === null ? [] : [[number, at]])));
  };

  /** The first row that ends below a height. */
  const rowAt = (/** @type {number} */ height) => {
    let [low, high] = [0, rows.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (tops[middle + 1] > height) high = middle; else low = middle + 1;
    }
    return low;
  };

  /** Draw the rows in view; those that are there stay, unless all are new, and the focus with them. */
  const draw = (isNew = false) => {
    const { scrollTop } = scroller, to = scrollTop + height + BEYOND;
    const held = document.activeElement instanceof HTMLElement && room.contains(document.activeElement) ? document.activeElement.parentElement?.dataset.row : undefined;
    const old = new Map(docscoreFindAll(room, ":scope > [data-row]").map((row) => [row.dataset.row, row]));
    const drawn = [];
    for (let at = rowAt(scrollTop - BEYOND); at < rows.length && tops[at] < to; at += 1) {
      const { id, height: tall, draw: make } = rows[at], row = (isNew ? undefined : old.get(id)) ?? docscoreElement("div", "", make());
      row.dataset.row = id;
      row.setAttribute("role", "listitem");
      row.style.top = `${tops[at]}px`;
      row.style.height = `${tall}px`;
      drawn.push(row);
    }
    room.replaceChildren(...drawn);
    if (held) drawn.find((row) => row.dataset.row === held)?.querySelector("button")?.focus({ preventScroll: true });
  };

  const redraw = () => { layOut(); draw(true); };

  /** The current place comes into view. */
  const reveal = () => {
    const at = rowOf.get(current), { scrollTop } = scroller;
    if (at === undefined || !height) return;
    const above = tops[at] - HEAD, below = tops[at + 1] - height;
    if (above < scrollTop) scroller.scrollTop = Math.max(0, above); else if (below > scrollTop) scroller.scrollTop = below;
  };

  scroller.addEventListener("scroll", () => draw());
  new ResizeObserver(() => { height = scroller.clientHeight; draw(); }).observe(scroller);
  narrow.addEventListener("change", redraw);

  return {
    show: (/** @type {Server.Place[]} */ all, /** @type {Group[]} */ listed, /** @type {Map<number, Decision>} */ decided, /** @type {{agreeing: boolean, isBlind: boolean}} */ look) => {
      [places, groups, decisions] = [all, listed, decided];
      ({ agreeing, isBlind } = look);
      groupOf = new Map(groups.flatMap((group) => group.numbers.map((number) => [number, group])));
      redraw();
    },
    /** Close all groups. */
    fold: () => {
      for (const { name } of groups) folded.add(name);
      redraw();
    },
    /** The current place, which is brought into view; what was decided since is drawn too. */
    mark: (/** @type {number} */ number) => {
      current = number;
      if (folded.delete(groupOf.get(number)?.name) || !rowOf.has(number)) layOut();
      reveal();
      draw(true);
    },
  };
};
