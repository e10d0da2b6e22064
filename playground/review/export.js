// The menu of a review's downloads. It describes their content, and names refused verdicts before the download.

import { answerTo, busy } from "../parts/asking.js";
import { findElement, newButton, newElement, partsOf } from "../parts/elements.js";
import { fileName, sentenceOf } from "../parts/words.js";
import { effectSentences, effectsOf } from "./effects.js";
import { placeName } from "./places.js";

/** @import { ReviewTab } from "./review.js" */
/** @typedef {Pick<ReviewTab, "server" | "state" | "scoring" | "visit" | "notice">} ExportPage */

const MOST = 5; // refused places that are listed

export class Export {
  /**
   * @param {HTMLElement} screen
   * @param {ExportPage} page
   */
  constructor(screen, page) {
    this.page = page;
    const part = partsOf(screen, ".rv-");
    this.menu = part("export");
    this.part = part("effects");
    this.menu.addEventListener("toggle", () => {
      if (this.menu.hasAttribute("open")) this.draw();
    });
  }

  close() {
    this.menu.removeAttribute("open");
  }

  /** Return sentences about what will be written. */
  effects() {
    const { worklist } = this.page.state;
    const effects = effectsOf(worklist.places, (number) => worklist.verdicts.at(number));
    return effectSentences(effects, worklist.refused().length);
  }

  /** Draw the content of the files, and the refused verdicts with their places. */
  async draw() {
    const { state, scoring } = this.page;
    await busy(this.part, scoring.now()); // scoring finds the refused verdicts
    const refused = state.worklist.refused();
    const places = refused.slice(0, MOST).map((number) => newElement("p", "", this.placeOf(number)));
    this.part.replaceChildren(...this.effects().map((text) => newElement("p", "", text)), ...places);
    findElement(this.menu, "[data-do=references]", HTMLButtonElement).disabled = refused.length > 0;
  }

  placeOf(/** @type {number} */ number) {
    const { worklist } = this.page.state;
    const place = worklist.places[number];
    const button = newButton("rv-lead", "", () => {
      this.close();
      this.page.visit(number);
    });
    button.append(newElement("u", "", `${place.id}, ${placeName(place)}`), `: ${worklist.faultAt(number)}`);
    return button;
  }

  async download(/** @type {"references" | "verdicts"} */ name) {
    const { page } = this;
    const { worklist } = page.state;
    if (!worklist.result) return;
    const asked = { run: worklist.result.run, verdicts: worklist.asText(), file: name };
    const found = await busy(this.menu, answerTo(page.server.export_review, asked));
    if ("refused" in found) {
      page.notice("Nothing to download.", sentenceOf(found.refused), [["Close", () => page.notice("")]]);
      return;
    }
    const link = newElement("a", "");
    [link.href, link.download] = [`gradio_api/file=${found.path}`, fileName(found.path)];
    link.click();
  }
}
