// How several systems compare, drawn from the result of the server: verdict, intervals, causes, fields, documents, pairs.

const docscoreComparison = (() => {
  const ROW = 28, AXIS = 16;  // pixels
  const STEPS = [0.01, 0.02, 0.05, 0.1, 0.25], MOST_STEPS = 4;

  const element = docscoreElement, drawn = docscoreDrawing;

  const signed = (/** @type {number} */ value) => `${value < 0 ? "−" : "+"}${Math.abs(value).toFixed(3)}`;

  /** A part of a grid with its role; a cell can be reached by arrows. */
  const part = (/** @type {string} */ role, /** @type {string} */ name, /** @type {(string | Node)[]} */ ...content) => {
    const found = element("span", name, ...content);
    found.setAttribute("role", role);
    if (role === "rowheader" || role === "gridcell") {
      found.dataset.cell = "";
      found.tabIndex = -1;
    }
    return found;
  };

  const row = (/** @type {string} */ name, /** @type {Node[]} */ ...cells) => {
    const found = element("div", `cmp-row ${name}`, ...cells);
    found.setAttribute("role", "row");
    if (name !== "cmp-head") found.dataset.row = "";
    return found;
  };

  /** A name may break behind its signs, and not within its words. */
  const pieces = (/** @type {string} */ name) => name.split(/(?<=[-_.\/ ])/);

  const heads = (/** @type {Node[]} */ first, /** @type {Server.System[]} */ systems) => row("cmp-head", ...first, ...systems.map(({ name }) => {
    const head = part("columnheader", "cmp-system", element("span", "", ...pieces(name).flatMap((piece) => [piece, document.createElement("wbr")])));
    head.title = name;
    return head;
  }));

  const grid = (/** @type {HTMLElement} */ place, /** @type {string} */ label, /** @type {number} */ systems, /** @type {Node[]} */ rows) => {
    const found = element("div", "cmp-grid", ...rows);
    found.setAttribute("role", "grid");
    found.setAttribute("aria-label", label);
    found.style.setProperty("--systems", String(systems));
    place.replaceChildren(found);
  };

  const shaded = (/** @type {string} */ text, /** @type {number} */ share) => {
    const found = part("gridcell", "cmp-heat", element("span", "", text));
    found.style.setProperty("--v", share.toFixed(2));
    return found;
  };

  /** Points lost by causes or fields; a cell opens the document that lost most. */
  const losses = (/** @type {Server.LossRow} */ { name, label, paths, documents, few, cells }, /** @type {Server.System[]} */ systems) => {
    const head = part("rowheader", "cut", paths ? element("code", "", name) : label ?? name);
    if (paths) head.title = paths.join("\n");
    const count = documents === undefined ? [] : [part("gridcell", "soft cmp-count", documents.toLocaleString("en"))];
    const found = row(few ? "cmp-few" : "", head, ...count, ...cells.map(({ text, share, document }, at) => {
      const cell = shaded(text, share ** 0.7);
      if (!document) return cell;
      cell.dataset.open = document;
      cell.title = `${systems[at].name} lost the most in ${document}`;
      return cell;
    }));
    found.dataset[paths ? "ofField" : "ofCause"] = name;
    return found;
  };

  /** Round numbers from one below the least to one above the most, in few steps. */
  const ticks = (/** @type {number} */ least, /** @type {number} */ most) => {
    const step = STEPS.find((each) => Math.ceil(most / each - 1e-9) - Math.floor(least / each + 1e-9) <= MOST_STEPS) ?? 0.25;
    const first = Math.floor(least / step + 1e-9), last = Math.max(first + 1, Math.ceil(most / step - 1e-9));
    return Array.from({ length: last - first + 1 }, (_, at) => Number(((first + at) * step).toFixed(2)));
  };

  /** An interval with its point at a height, on a scale from 0 to 1; a point alone where there is none. */
  const interval = (/** @type {number} */ y, /** @type {number} */ point, /** @type {number | null} */ low, /** @type {number | null} */ high, /** @type {(value: number) => number} */ at) => {
    const x = (/** @type {number} */ value) => `${(100 * at(value)).toFixed(2)}%`;
    const ends = low === null || high === null ? [] : [
      drawn("line", { class: "cmp-line", x1: x(low), x2: x(high), y1: y, y2: y }),
      ...[low, high].map((end) => drawn("line", { class: "cmp-line", x1: x(end), x2: x(end), y1: y - 4, y2: y + 4 })),
    ];
    return [...ends, drawn("circle", { class: "cmp-point", cx: x(point), cy: y, r: 6 })];
  };

  /** The scores of the systems with intervals, an axis, and brackets around systems that are not proven to differ. */
  const forest = (/** @type {HTMLElement} */ place, /** @type {Server.Comparison} */ { systems, ties }) => {
    const marks = ticks(Math.min(...systems.map(({ low, score }) => low ?? score)), Math.max(...systems.map(({ high, score }) => high ?? score)));
    const from = marks[0], to = marks[marks.length - 1], at = (/** @type {number} */ value) => (value - from) / (to - from);
    const height = systems.length * ROW;
    const plot = drawn("svg", { class: "cmp-plot", height: height + AXIS, role: "img" },
      ...marks.flatMap((mark) => {
        const x = `${(100 * at(mark)).toFixed(2)}%`;
        return [drawn("line", { class: "cmp-mark", x1: x, x2: x, y1: 0, y2: height }), drawn("text", { x, y: height + AXIS - 4, "text-anchor": "middle" }, String(mark))];
      }),
      ...systems.flatMap(({ score, low, high }, number) => interval((number + 0.5) * ROW, score, low, high, at)));
    plot.setAttribute("aria-label", `Scores: ${systems.map(({ name, text, interval: said }) => `${name} ${text}, ${said}`).join("; ")}.`);
    const names = systems.map(({ name, interval: said }, number) => {
      const found = element("b", "cut", name);
      found.title = `${name}: ${said}`;
      found.style.gridRow = String(number + 1);
      return found;
    });
    const scores = systems.map(({ text }, number) => {
      const found = element("span", "cmp-number", text);
      found.style.gridRow = String(number + 1);
      return found;
    });
    place.replaceChildren(...names, plot, ...scores, ...brackets(ties, systems));
    place.style.setProperty("--lanes", String(Math.max(1, ties.length)));
  };

  const brackets = (/** @type {[number, number][]} */ ties, /** @type {Server.System[]} */ systems) => ties.map(([first, last], lane) => {
    const found = element("span", "cmp-tie", ...(ties.length === 1 ? [element("em", "", "tied")] : []));
    found.setAttribute("role", "img");
    found.setAttribute("aria-label", `No difference is proven among ${systems.slice(first, last + 1).map(({ name }) => name).join(", ")}.`);
    found.title = "no difference is proven";
    found.style.gridRow = `${first + 1} / ${last + 2}`;
    found.style.setProperty("--lane", String(lane));
    return found;
  });

  /** Every pair of systems: the difference with its interval, and the p-value. */
  const pairs = (/** @type {HTMLElement} */ place, /** @type {Server.Comparison} */ { pairs: all, count }) => {
    const most = Math.max(1e-9, ...all.flatMap(({ difference, low, high }) => [difference, low ?? 0, high ?? 0].map(Math.abs)));
    const at = (/** @type {number} */ value) => 0.02 + 0.96 * (0.5 + value / most / 2);
    const rows = all.map((pair, number) => {
      const name = part("rowheader", "", element("span", "cut", pair.first), "–", element("span", "cut", pair.second));
      const range = pair.low === null || pair.high === null ? "" : `95 % interval ${signed(pair.low)} to ${signed(pair.high)}; `;
      const said = `${range}${pair.first} is better on ${pair.better}, worse on ${pair.worse} of ${count} documents`;
      name.title = `${pair.first} – ${pair.second}: ${said}`;
      const plot = drawn("svg", { class: "cmp-plot", height: ROW, role: "img", "aria-label": said },
        drawn("line", { class: "cmp-zero", x1: "50%", x2: "50%", y1: 0, y2: ROW }), ...interval(ROW / 2, pair.difference, pair.low, pair.high, at));
      const p = part("gridcell", pair.proven ? "cmp-number" : "cmp-number soft", `p ${pair.p}`);
      const found = row("", name, part("gridcell", "cmp-interval", plot), part("gridcell", "cmp-number", signed(pair.difference)), p);
      found.dataset.pair = String(number);
      return found;
    });
    grid(place, "All pairs", 0, rows);
  };

  const strip = (/** @type {number[]} */ scores) => {
    const [least, most] = [Math.min(...scores), Math.max(...scores)], x = (/** @type {number} */ value) => `${(100 * value).toFixed(1)}%`;
    return drawn("svg", { class: "cmp-strip", height: 12, "aria-hidden": "true" },
      drawn("line", { class: "cmp-track", x1: 0, x2: "100%", y1: 6, y2: 6 }), drawn("line", { class: "cmp-line", x1: x(least), x2: x(most), y1: 6, y2: 6 }),
      ...[...new Set(scores)].map((score) => drawn("circle", { class: "cmp-dot", cx: x(score), cy: 6, r: 3 })));
  };

  /** The documents with a text in their ids, and where one system is worse than another; those most apart first, for two systems by what one gains. */
  const documents = (/** @type {HTMLElement} */ place, /** @type {Server.Comparison} */ { documents: all, count, systems, pairs: pairsOfAll }, /** @type {ComparisonView} */ { find, pair, worse }, /** @type {(id: string) => string} */ link) => {
    const wanted = find.trim().toLowerCase(), chosen = pair === null ? null : pairsOfAll[pair];
    const [less, more] = worse.split(" ").map(Number), gain = (/** @type {number[]} */ numbers) => numbers[more] - numbers[less];
    let shown = all.filter(({ id }) => id.toLowerCase().includes(wanted)).map((each) => ({ ...each, numbers: each.scores.map(Number) }));
    if (worse) shown = shown.filter(({ numbers }) => gain(numbers) > 0).sort((one, other) => gain(other.numbers) - gain(one.numbers));
    else if (chosen) {
      const [first, second] = [chosen.first, chosen.second].map((name) => systems.findIndex((system) => system.name === name));
      shown.sort((one, other) => other.numbers[first] - other.numbers[second] - (one.numbers[first] - one.numbers[second]));
    }
    const rows = shown.map(({ id, numbers, scores }) => {
      const name = element("a", "", element("code", "", id)), head = part("rowheader", "cut", name);
      name.href = link(id);
      name.dataset.cell = "";
      name.tabIndex = -1;
      const found = row("cmp-document", head, part("presentation", "cmp-wide", strip(numbers)), ...scores.map((score, at) => {
        const cell = shaded(score, Math.min(1, 1.6 * (1 - numbers[at])));
        cell.dataset.open = id;
        return cell;
      }));
      delete head.dataset.cell;
      head.removeAttribute("tabindex");
      found.dataset.document = id;
      return found;
    });
    const order = part("columnheader", "cut", worse ? `${shown.length} of ${count}` : chosen ? `${chosen.first} over ${chosen.second}` : "by difference");
    const axis = part("presentation", "cmp-wide cmp-axis", element("span", "", "0"), element("span", "", "1"));
    grid(place, "Documents", systems.length, [heads([order, axis], systems), ...rows]);
    if (!rows.length) place.append(element("p", "soft cmp-none", worse ? "No such document." : "No id contains this text."));
    if (count > all.length) place.append(element("p", "soft cmp-none", `Only the ${all.length.toLocaleString("en")} documents with the largest differences are listed; Export has all ${count.toLocaleString("en")}.`));
  };

  const all = (/** @type {Server.System[]} */ systems) => row("cmp-all", part("rowheader", "soft", "All"), ...systems.map(({ lost }) => part("gridcell", "", element("b", "", lost))));

  return {
    /** Draw everything but the documents. */
    draw: (/** @type {HTMLElement} */ screen, /** @type {Server.Comparison} */ found, /** @type {(id: string) => string} */ link) => {
      const place = (/** @type {string} */ name) => /** @type {HTMLElement} */ (screen.querySelector(`.cmp-${name}`));
      const longest = Math.max(...found.systems.flatMap(({ name }) => pieces(name)).map(({ length }) => length));
      screen.style.setProperty("--systems", String(found.systems.length));
      screen.style.setProperty("--name", `${14 + 7 * Math.min(17, longest)}px`);
      const { systems, verdict, causes, fields, note, left_out: left, signature } = found;
      const p = element("span", "pvalue soft", `(p ${verdict.p}).`);
      place("verdict").replaceChildren(element("span", "", `${verdict.title};`), " ", element("span", "", `${verdict.rest} `, p));
      place("verdict").classList.toggle("cmp-long", verdict.title.length > 60);
      place("text").replaceChildren(verdict.text, ...leader(verdict, link));
      place("order").textContent = verdict.remarks.join(" ");
      forest(place("forest"), found);
      grid(place("causes"), "Points lost by cause", systems.length, [
        heads([part("columnheader", "", "cause")], systems), ...causes.map((each) => losses(each, systems)), all(systems)]);
      const isFew = fields.some(({ few }) => few);
      place("meaning").textContent = fields.length ? `points lost${isFew ? "; grey: in fewer than 5 documents" : ""}` : "";
      if (fields.length) {
        grid(place("fields"), "Points lost by field", systems.length, [
          heads([part("columnheader", "", "field"), part("columnheader", "cmp-count", "docs")], systems), ...fields.map((each) => losses(each, systems))]);
        if (found.field_count > fields.length) place("fields").append(element("p", "soft cmp-none", `Only the fields with the largest losses are listed; Export has all ${found.field_count.toLocaleString("en")}.`));
      } else place("fields").replaceChildren(element("p", "soft cmp-none", note || "No field lost points."));
      place("adjusted").textContent = found.pairs.length > 1 ? `difference, p adjusted for ${found.pairs.length} tests` : "difference";
      pairs(place("pairs"), found);
      const counts = systems.flatMap(({ name, counts: lines }) => lines.map((line) => `${name}: ${line}`));
      place("notes").replaceChildren(...[...left, ...counts, ...(fields.length && note ? [note] : []), signature].map((text) => element("li", "", text)));
    },
    documents,
    signed,
  };

  /** The documents that make the lead, as links behind its sentence. */
  function leader(/** @type {Server.Verdict} */ { documents: ids }, /** @type {(id: string) => string} */ link) {
    const links = ids.flatMap((id, at) => {
      const found = element("a", "", element("code", "", id));
      found.href = link(id);
      return [at ? ", " : ": ", found];
    });
    return ids.length ? [...links, "."] : [];
  }
})();
