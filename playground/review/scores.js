// Scores before and after a review.

import { newElement } from "../parts/elements.js";
import { signed } from "../parts/words.js";
import { orderOf } from "./sentences.js";

/**
 * Draw the scores before and after on one scale, and whether their order changed.
 * @param {HTMLElement} part
 * @param {Server.ReviewedSystem[]} systems
 * @param {number[]} after
 * @param {boolean} isOld  whether they are being computed again
 * @param {boolean} isScaled
 */
export const drawScores = (part, systems, after, isOld, isScaled = false) => {
  const all = [...systems.map(({ score }) => score), ...after];
  const [low, high] = [Math.min(...all), Math.max(...all)];
  const room = Math.max(0.004, (high - low) * 0.15);
  const start = Math.max(0, low - room);
  const stop = Math.min(1, high + room);
  const at = (/** @type {number} */ score) => (score - start) / (stop - start);
  const rows = systems.flatMap(({ name, score, text }, number) => {
    const plot = newElement("span", "rv-plot", newElement("i", "w"), newElement("i", "o"), newElement("i", "p"));
    const [from, to] = [at(score), at(after[number])];
    plot.setAttribute("aria-hidden", "true");
    const signs = { "--a": Math.min(from, to), "--b": Math.max(from, to), "--o": from, "--p": to };
    for (const [sign, value] of Object.entries(signs)) plot.style.setProperty(sign, value.toFixed(4));
    const gain = signed(after[number] - score);
    const title = newElement("b", "cut", name);
    title.title = name;
    return [
      title,
      plot,
      newElement("span", "rv-number", `${text} → `, newElement("b", "", after[number].toFixed(3))),
      newElement("span", "rv-number soft rv-gain", /[1-9]/.test(gain) ? gain : "±0.000"),
    ];
  });
  const tie = systems.length > 1 ? [newElement("span", "rv-tie", newElement("em", "", orderOf(systems, after)))] : [];
  if (tie.length) tie[0].style.gridRow = `1 / ${systems.length + 1}`;
  const scale = newElement(
    "span",
    "rv-axis soft t12",
    ...[start, stop].map((end) => newElement("span", "", end.toFixed(3))),
  );
  part.replaceChildren(...rows, ...tie, ...(isScaled ? [scale] : []));
  part.toggleAttribute("data-old", isOld);
};
