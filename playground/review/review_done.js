// A review that is finished: what was decided, scores before and after, what a sample estimates, files, groups.

/** @typedef {{place: Server.Place, decision: Decision}} Decided */

const docscoreReviewScores = (() => {
  const element = docscoreElement;

  /** The scores before and after on one scale, and whether their order changed. */
  const draw = (/** @type {HTMLElement} */ part, /** @type {Server.ReviewedSystem[]} */ systems, /** @type {number[]} */ after, /** @type {boolean} */ isOld, isScaled = false) => {
    const all = [...systems.map(({ score }) => score), ...after], [low, high] = [Math.min(...all), Math.max(...all)];
    const room = Math.max(0.004, (high - low) * 0.15), start = Math.max(0, low - room), stop = Math.min(1, high + room), at = (/** @type {number} */ score) => (score - start) / (stop - start);
    const rows = systems.flatMap(({ name, score, text }, number) => {
      const plot = element("span", "rv-plot", element("i", "w"), element("i", "o"), element("i", "p"));
      const [from, to] = [at(score), at(after[number])];
      plot.setAttribute("aria-hidden", "true");
      for (const [sign, value] of Object.entries({ "--a": Math.min(from, to), "--b": Math.max(from, to), "--o": from, "--p": to })) plot.style.setProperty(sign, value.toFixed(4));
      const gain = docscoreComparison.signed(after[number] - score);
      const title = element("b", "cut", name);
      title.title = name;
      return [title, plot, element("span", "rv-number", `${text} → `, element("b", "", after[number].toFixed(3))), element("span", "rv-number soft rv-gain", /[1-9]/.test(gain) ? gain : "±0.000")];
    });
    const tie = systems.length > 1 ? [element("span", "rv-tie", element("em", "", order(systems, after)))] : [];
    if (tie.length) tie[0].style.gridRow = `1 / ${systems.length + 1}`;
    const scale = element("span", "rv-axis soft t12", ...[start, stop].map((end) => element("span", "", end.toFixed(3))));
    part.replaceChildren(...rows, ...tie, ...(isScaled ? [scale] : []));
    part.toggleAttribute("data-old", isOld);
  };

  /** The first system that is now before one that had a higher score. */
  const order = (/** @type {Server.ReviewedSystem[]} */ systems, /** @type {number[]} */ after) => {
    const round = (/** @type {number} */ score) => Math.round(score * 1e9);
    for (let at = 1; at < systems.length; at += 1) {
      const behind = after.findIndex((score, other) => other < at && round(score) < round(after[at]));
      if (behind >= 0) return `${systems[at].name} now before ${systems[behind].name}`;
    }
    return "order unchanged";
  };
  return { draw };
})();

const docscoreReviewDone = (() => {
  const element = docscoreElement;
  const counted = (/** @type {number} */ count, /** @type {string} */ one, many = `${one}s`) => `${count.toLocaleString("en")} ${count === 1 ? one : many}`;

  /** How many places have which verdict. */
  const sums = (/** @type {Decided[]} */ decided) => {
    const of = (/** @type {string[]} */ ...verdicts) => decided.filter(({ decision }) => verdicts.includes(decision.verdict)).length;
    return { corrected: of("prediction", "other"), acceptable: of("both"), errors: of("ground_truth"), unclear: of("unclear") };
  };

  /** The conclusion, for the head. */
  const conclusion = (/** @type {Decided[]} */ decided) => {
    const { corrected, acceptable, errors, unclear } = sums(decided), all = decided.length;
    const others = [[errors, "were errors of the systems", "was an error of a system"], [acceptable, "have two acceptable answers", "has two acceptable answers"], [unclear, "are unclear", "is unclear"]];
    const said = others.filter(([count]) => count).map(([count, many, one]) => `${count} ${count === 1 ? one : many}`).join(", ");
    return { title: corrected ? `At ${corrected} of ${all} the ground truth was wrong.` : `At none of ${all} the ground truth was wrong.`, text: said ? `${said}.` : "" };
  };

  const section = (/** @type {string} */ name, /** @type {string} */ title, /** @type {(string | Node)[]} */ ...content) => element("section", name, element("h2", "", title), ...content);

  /** @typedef {{name: string, places: number, verdicts: string, gains: number[] | null}} GroupGains */
  /** What each group gave back, and all of them: verdicts, and what systems gain by them. */
  const gains = (/** @type {GroupGains[]} */ groups, /** @type {string[]} */ systems) => {
    const most = Math.max(1e-9, ...groups.flatMap((group) => (group.gains ?? []).map(Math.abs)));
    const head = element("tr", "", ...["group", "places", "verdict", ...systems].map((text) => element("th", "", text)));
    for (const cell of head.querySelectorAll("th")) cell.scope = "col";
    const rows = groups.map(({ name, places, verdicts, gains: of }) => element("tr", "", element("td", "", name), element("td", "soft", String(places)), element("td", "soft", verdicts), ...systems.map((_, at) => {
      const text = of ? docscoreComparison.signed(of[at]) : "…", shown = element("span", "", /[1-9…]/.test(text) ? text : "·");
      shown.style.setProperty("--v", of ? Math.max(0, of[at] / most).toFixed(2) : "0");
      return element("td", "rv-heat", shown);
    })));
    return element("table", "rv-gains", element("thead", "", head), element("tbody", "", ...rows));
  };

  return {
    conclusion,
    sums,
    gains,
    /**
     * Draw the summary.
     * @param {HTMLElement} part
     * @param {{decided: Decided[], files: {references: string, count: number, download: (name: "references" | "verdicts") => void}, loss: HTMLElement, scores: HTMLElement, groups: HTMLElement}} found
     */
    draw: (part, { decided, files, loss, scores, groups }) => {
      const { corrected, acceptable, errors, unclear } = sums(decided), all = decided.length;
      const rows = decided.filter(({ place, decision }) => place.whole && decision.verdict === "prediction").length;
      const bars = [
        { count: corrected, look: "exact", words: `${counted(corrected, "ground truth")} corrected`, note: rows ? `${counted(rows, "row")} added or removed` : "" },
        { count: acceptable, look: "partial", words: `${acceptable.toLocaleString("en")} more acceptable`, note: "the prediction counts as well" },
        { count: errors, look: "wrong", words: `${counted(errors, "error")} of systems`, note: "nothing changes" },
        { count: unclear, look: "unclear", words: `${unclear.toLocaleString("en")} unclear`, note: "nothing changes" },
      ].filter(({ count }) => count).map(({ count, look, words, note }) => {
        const found = element("div", "", element("i", look), element("b", "t15", words), element("p", "soft", note));
        found.style.setProperty("--w", String(Math.max(count / all, 0.02)));
        found.style.flexGrow = String(count);
        return found;
      });
      const arrow = () => docscoreDrawing("svg", { viewBox: "0 0 16 16", "aria-hidden": "true" }, docscoreDrawing("path", { d: "M8 2.5v7.5M4.5 7 8 10.5 11.5 7M2.5 13.5h11" }));
      const references = docscoreButton("btn main", "Download corrected references", () => files.download("references"));
      const verdicts = docscoreButton("btn", "Download verdicts", () => files.download("verdicts"));
      for (const button of [references, verdicts]) button.prepend(arrow());
      const note = (/** @type {string} */ name, /** @type {string} */ text) => element("p", "soft t12", element("code", "", name), document.createElement("br"), text);
      part.replaceChildren(element("div", "scroll rv-summary",
        section("full", `${all.toLocaleString("en")} of ${all.toLocaleString("en")} decided`, element("div", "rv-sum", ...bars)),
        section("", "Scores before → after", scores, element("p", "soft t12", `○ before, ● after. ${counted(files.count, "document")}, the same options.`)),
        section("", "How much of the loss is not the system’s", loss),
        section("full rv-files", "Files", element("div", "", references, note(files.references, `${counted(files.count, "document")}; what else is acceptable stands as an option`)), element("div", "", verdicts, note("verdicts.jsonl", "one line for each place; drop it here again to continue"))),
        section("full", "What each group gave back", element("div", "rv-scroll", groups))));
      const scroller = docscoreFind(part, ".scroll");
      scroller.tabIndex = 0;
      scroller.setAttribute("role", "region");
      scroller.setAttribute("aria-label", "Summary");
    },

    /** The estimate of a sample, with its interval on a scale from 0 to 100 %. */
    estimate: (/** @type {Server.EstimatedLoss} */ { lines, share: [share, low, high] }, /** @type {number} */ draws) => {
      const plot = element("span", "rv-plot rv-share", element("i", "w"), element("i", "p"));
      for (const [sign, value] of Object.entries({ "--a": low, "--b": high, "--p": share })) plot.style.setProperty(sign, String(value));
      plot.setAttribute("role", "img");
      plot.setAttribute("aria-label", `${Math.round(100 * share)} %, 95 % interval ${Math.round(100 * low)} to ${Math.round(100 * high)} %`);
      return [element("p", "", lines[0]), plot, element("div", "rv-axis soft t12", ...["0", "50 %", "100 %"].map((text) => element("span", "", text))),
        element("p", "soft t12", `From ${counted(draws, "place")} drawn at random by the points lost there, with a 95 % interval. What is wrong on both sides is not in this sample.`)];
    },
  };
})();
