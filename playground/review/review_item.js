// A place of a review as it is judged: the values under each other, the evidence, what is at stake, and the rest of its row.

/**
 * @typedef {{
 *   systems: string[], references: string, chosen: number, size: number, isBlind: boolean, picked: Set<number>,
 *   choose: (answer: number) => void,
 * }} ItemLook  the names of systems and of the file; the number of the chosen answer; how many places the group has; blind: which values are picked, the ground truth being -1
 */

const docscoreReviewItem = (() => {
  const element = docscoreElement;
  const TOO_SMALL = 0.0005;  // points, in three digits

  const icon = (/** @type {string} */ name) => element("span", `rv-icon ${name}`);

  /** Spans of a value; a space that differs is drawn, since a line through it would look like a hyphen. */
  const spans = (/** @type {[string, boolean][]} */ parts, /** @type {"del" | "ins"} */ tag) => parts.map(([text, differs]) => {
    if (!differs) return text;
    const found = element(tag, "", text.replaceAll(" ", "␣"));
    return found;
  });

  /** The fields of an object in JSON, with numbers as they are written; null for another value. */
  const fieldsOf = (/** @type {string} */ text) => {
    /** @type {(key: string, value: unknown, context?: {source: string}) => unknown} */
    const asWritten = (_, value, context) => (typeof value === "number" ? context?.source ?? String(value) : value);
    try {
      const found = JSON.parse(text, asWritten);
      return found && typeof found === "object" && !Array.isArray(found) ? Object.entries(found) : null;
    } catch { return null; }
  };

  const cellText = (/** @type {unknown} */ value) => (typeof value === "string" ? value : JSON.stringify(value));

  const table = (/** @type {string[]} */ heads, /** @type {(Node | string)[][]} */ rows, name = "") => {
    const cells = (/** @type {"th" | "td"} */ tag, /** @type {(Node | string)[]} */ all) => element("tr", "", ...all.map((each) => element(tag, "", each)));
    const found = element("table", `rv-table ${name}`, element("thead", "", cells("th", heads)), element("tbody", "", ...rows.map((row) => cells("td", row))));
    for (const head of found.querySelectorAll("th")) head.scope = "col";
    return found;
  };

  /** A value, in its card. */
  const valueOf = (/** @type {Server.Place} */ place, /** @type {string | null} */ text, /** @type {[string, boolean][]} */ marked, /** @type {"del" | "ins"} */ tag) => {
    if (text === null) return element("span", "rv-absent", place.whole ? "no such row" : "absent");
    const fields = place.whole ? fieldsOf(text) : null;
    if (fields) return element("span", "rv-wide", table(fields.map(([key]) => key), [fields.map(([, value]) => cellText(value))], tag === "ins" ? "new" : "old"));
    return element("span", "rv-val", ...spans(marked, tag));
  };

  const letterOf = (/** @type {number} */ at) => String.fromCharCode(65 + at);

  /** Both sides in the order in which blind work shows them: -1 is the ground truth, others are answers. */
  const blindOrder = (/** @type {Server.Place} */ place) => [-1, ...place.answers.keys()]
    .map((side) => ({ side, key: docscoreHash(`${place.id} ${place.path} ${place.judged} ${side}`) }))
    .sort((one, other) => one.key - other.key).map(({ side }) => side);

  /** How sides are called in sentences. */
  const namesOf = (/** @type {Server.Place} */ place, /** @type {ItemLook} */ look) => {
    if (look.isBlind) {
      const order = blindOrder(place);
      return (/** @type {number} */ side) => letterOf(order.indexOf(side));
    }
    return (/** @type {number} */ side) => (side < 0 ? "the ground truth" : place.answers.length > 1 ? `prediction ${letterOf(side)}` : "the prediction");
  };

  const card = (/** @type {string} */ title, /** @type {string} */ small, /** @type {HTMLElement} */ value, /** @type {string} */ note, /** @type {{isChosen: boolean, key: string, press: () => void, role: string} | null} */ choice) => {
    const who = element("span", "rv-by", element("b", "", title, ...(choice ? [element("span", "rv-dot")] : [])), element("small", "", small));
    const said = element("span", "rv-sim", note, ...(choice ? [element("kbd", "", choice.key)] : []));
    if (!choice) return element("div", "rv-value", who, value, said);
    const found = docscoreButton("rv-value", "", choice.press);
    found.append(who, value, said);
    found.setAttribute("role", choice.role);
    found.setAttribute("aria-checked", String(choice.isChosen));
    found.setAttribute("aria-keyshortcuts", choice.key);
    return found;
  };

  /** The systems that say what the ground truth says, where that is known. */
  const agreeing = (/** @type {Server.Place} */ place, /** @type {string[]} */ systems) => {
    const others = new Set(place.answers.flatMap((answer) => answer.systems));
    return others.size < place.of && place.of === systems.length ? systems.filter((_, number) => !others.has(number)) : [];
  };

  const cards = (/** @type {Server.Place} */ place, /** @type {ItemLook} */ look) => {
    const { answers, truth } = place, first = answers[look.chosen] ?? answers[0], several = answers.length > 1;
    const same = agreeing(place, look.systems).join(", ");
    const truthValue = valueOf(place, truth, first.marked[0], "del");
    if (look.isBlind) {
      const values = blindOrder(place).map((side, at) => {
        const value = side < 0 ? truthValue : valueOf(place, answers[side].text, answers[side].text === null ? [] : [[answers[side].text ?? "", false]], "ins");
        if (side < 0 && truth !== null && !place.whole) value.replaceChildren(truth);
        return card(`Value ${letterOf(at)}`, "", value, "", { isChosen: look.picked.has(side), key: letterOf(at).toLowerCase(), press: () => look.choose(side), role: "checkbox" });
      });
      return [group("group", "Values", values)];
    }
    const predictions = answers.map((answer, at) => card(
      several ? `Prediction ${letterOf(at)}` : "Prediction", answer.systems.map((system) => look.systems[system]).join(", "),
      valueOf(place, answer.text, answer.marked[1], "ins"), answer.similarity,
      several ? { isChosen: at === look.chosen, key: letterOf(at).toLowerCase(), press: () => look.choose(at), role: "radio" } : null));
    const top = card("Ground truth", [look.references, same].filter(Boolean).join(", "), truthValue, "", null);
    top.classList.add("truth");
    return [top, several ? group("radiogroup", "Predictions", predictions) : predictions[0]];
  };

  const group = (/** @type {string} */ role, /** @type {string} */ label, /** @type {HTMLElement[]} */ content) => {
    const found = element("div", "rv-values", ...content);
    found.setAttribute("role", role);
    found.setAttribute("aria-label", label);
    return found;
  };

  const RANKS = { no: 0, unspaced: 1, yes: 2 };
  const capital = (/** @type {string} */ text) => text[0].toUpperCase() + text.slice(1);

  /** What the text of the document says of values: never which is right. */
  const evidence = (/** @type {Server.Place} */ place, /** @type {ItemLook} */ look, /** @type {number[]} */ shown) => {
    const nameOf = namesOf(place, look), sides = shown.flatMap((side) => {
      const { found } = side < 0 ? place : place.answers[side];
      return found ? [{ name: nameOf(side), rank: RANKS[found] }] : [];
    });
    if (!place.has_text) return "There is no text of this document.";
    if (!sides.length) return "A text does not show such values.";
    if (place.whole && sides.length === 1) return `${sides[0].rank ? "All" : "Not all"} values of ${place.answers.length > 1 || look.isBlind ? sides[0].name : "the row"} stand in the document’s text.`;
    const most = Math.max(...sides.map(({ rank }) => rank));
    const [yes, no] = [sides.filter(({ rank }) => rank && rank === most), sides.filter(({ rank }) => !rank || rank < most)].map((some) => some.map(({ name }) => name));
    const isTwo = sides.length === 2, begin = most === 1 ? "without spaces, " : "";
    const stand = (/** @type {string[]} */ some) => (some.length > 1 ? "stand" : "stands");
    if (!yes.length) return sides.length === 1 ? capital(`${no[0]} does not stand in the document’s text.`) : `${isTwo ? "Neither" : "None of them"} stands in the document’s text.`;
    if (!no.length) return capital(`${begin}${sides.length === 1 ? yes[0] : isTwo ? "both" : "all of them"} ${stand(yes)} in the document’s text.`);
    return capital(`${begin}${yes.join(" and ")} ${stand(yes)} in the document’s text, ${no.join(" and ")} ${no.length > 1 ? "do" : "does"} not.`);
  };

  /** What the place costs each system. */
  const stake = (/** @type {Server.Place} */ place, /** @type {ItemLook} */ look) => {
    const lost = place.points.map((points, system) => ({ points, name: look.systems[system] })).filter(({ points }) => points);
    const said = lost.map(({ points, name }) => `${name} ${points < TOO_SMALL ? "less than 0.001" : points.toFixed(3)}`).join(", ");
    return `Costs ${said} here${look.size > 1 ? `; ${look.size.toLocaleString("en")} such places` : ""}.`;
  };

  const fact = (/** @type {string} */ name, /** @type {string} */ look, /** @type {string} */ text) => element("p", look, icon(name), element("span", "", text));

  return {
    blindOrder,
    /** Draw a place. */
    draw: (/** @type {HTMLElement} */ body, /** @type {Server.Place} */ place, /** @type {ItemLook} */ look) => {
      const values = cards(place, look);
      const shown = look.isBlind ? blindOrder(place) : [-1, look.chosen];
      const facts = element("div", "rv-facts", fact("page", "rv-evidence", evidence(place, look, shown)));
      if (!look.isBlind) {
        const hasSpace = values.some((value) => [...value.querySelectorAll("del, ins")].some(({ textContent }) => textContent?.includes("␣")));
        facts.append(fact("minus", "soft", stake(place, look) + (hasSpace ? " ␣ is a space." : "")));
      }
      body.replaceChildren(...values, facts, element("div", "rv-row"));
    },

    /** What stands beside the place, once the server said it. */
    beside: (/** @type {HTMLElement} */ body, /** @type {Server.Place} */ place, /** @type {Server.Beside} */ { heads, rows, places, count }, /** @type {(number: number) => void} */ open) => {
      const within = docscoreFind(body, ".rv-row");
      if (!heads.length) { within.replaceChildren(); return; }
      const differing = places.filter((each) => each !== null).length;
      const isRow = /\]\.[^.]*$|\]\["[^"]*"\]$/.test(place.path);
      const title = place.whole ? `The ground truth’s rows${count > rows.length ? `, the first ${rows.length} of ${count}` : ""}`
        : `The rest of this ${isRow ? "row" : "document"}: ${differing ? `${differing} of ${heads.length} differ${differing === 1 ? "s" : ""} too` : "all agree"}`;
      const cells = rows.map((row) => row.map((text, at) => {
        const to = places[at];
        if (place.whole) return text;
        if (to === null) return element("span", "", element("span", "rv-glyph", "="), text);
        const lead = docscoreButton("rv-lead", "", () => open(to));
        lead.append(element("span", "rv-glyph differs", "≠"), element("u", "", text));
        lead.setAttribute("aria-label", `${heads[at]}: ${text}, differs too`);
        return lead;
      }));
      within.replaceChildren(element("h3", "", title), element("div", "rv-scroll", table(heads, cells)));
    },
  };
})();
