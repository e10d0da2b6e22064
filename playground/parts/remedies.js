// Warnings that an option resolves: lines with buttons that score again, and the scores that they would give.

import { answerTo } from "./asking.js";
import { newButton, newElement } from "./elements.js";

const MOST_TRIED = 3; // buttons whose scores are computed in advance

export class Remedies {
  /**
   * @param {HTMLElement} place
   * @param {(options: Server.Changes) => void} take
   * @param {Server.Ask<Server.RemedyRequest, Server.Text> | null} tries  null if the labels have the scores
   */
  constructor(place, take, tries = null) {
    this.place = place;
    this.take = take;
    this.tries = tries;
    this.run = ""; // the result of the lines
  }

  /** Draw the lines, then compute their scores one at a time while this result is shown. */
  async show(/** @type {Server.ShownWarning[]} */ warnings, run = "") {
    this.run = run;
    this.place.hidden = !warnings.length;
    const lines = warnings.map(({ text, buttons }) =>
      newElement(
        "li",
        "",
        newElement("span", "", text),
        ...buttons.map(({ label, options }) => newButton("btn tint", label, () => this.take(options))),
      ),
    );
    this.place.replaceChildren(...lines);
    const buttons = this.tries ? [...this.place.querySelectorAll("button")].slice(0, MOST_TRIED) : [];
    for (const [number, button] of buttons.entries()) {
      const found = this.tries ? await answerTo(this.tries, { run, button: number }) : null;
      if (this.run !== run) return;
      if (found && "text" in found) button.append(newElement("span", "", ` → ${found.text}`));
    }
  }
}
