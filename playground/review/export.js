// The menu of a review's downloads. It describes their content, and names refused verdicts before the download.

import { answerTo, busy } from "../parts/asking.js";
import { findElement, newButton, newElement, partsOf } from "../parts/elements.js";
import { fileName, sentenceOf } from "../parts/words.js";
import { effectSentences, effectsOf } from "./effects.js";
import { placeName } from "./places.js";

/** @import { Act } from "./readers.js" */
/** @import { Worklist } from "./worklist.js" */
/**
 * @typedef {object} ExportPage  the page around the menu
 * @property {Server.Functions} server
 * @property {Worklist} state
 * @property {() => Promise<void>} score  scores documents that are not scored yet
 * @property {(number: number) => void} visit
 * @property {(title: string, detail?: string, acts?: Act[]) => void} notice
 */

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
    const { state } = this.page;
    const effects = effectsOf(state.places, (number) => state.verdicts.at(number));
    return effectSentences(effects, state.refused().length);
  }

  /** Draw the content of the files, and the refused verdicts with their places. */
  async draw() {
    const { state, score } = this.page;
    await busy(this.part, score()); // scoring finds the refused verdicts
    const refused = state.refused();
    const places = refused.slice(0, MOST).map((number) => newElement("p", "", this.placeOf(number)));
    this.part.replaceChildren(...this.effects().map((text) => newElement("p", "", text)), ...places);
    findElement(this.menu, "[data-do=references]", HTMLButtonElement).disabled = refused.length > 0;
  }

  placeOf(/** @type {number} */ number) {
    const { state, visit } = this.page;
    const place = state.places[number];
    const button = newButton("rv-lead", "", () => {
      this.close();
      visit(number);
    });
    button.append(newElement("u", "", `${place.id}, ${placeName(place)}`), `: ${state.faultAt(number)}`);
    return button;
  }

  async download(/** @type {"references" | "verdicts"} */ name) {
    const { server, state, notice } = this.page;
    if (!state.result) return;
    const asked = { run: state.result.run, verdicts: state.asText(), file: name };
    const found = await busy(this.menu, answerTo(server.export_review, asked));
    if ("refused" in found) {
      notice("Nothing to download.", sentenceOf(found.refused), [["Close", () => notice("")]]);
      return;
    }
    const link = newElement("a", "");
    [link.href, link.download] = [`gradio_api/file=${found.path}`, fileName(found.path)];
    link.click();
  }
}
