// The view of a review's current place: its values, and the choices that decide it by key or button.

import { findElement, findElements, newButton, newElement, partsOf } from "../parts/elements.js";
import { drawBeside, drawPlace } from "./item.js";
import { VERDICTS, decisionWords, faultOfRow, placeName } from "./places.js";

/** @import { Decision } from "./places.js" */
/** @import { Reach, Worklist } from "./worklist.js" */
/**
 * @typedef {object} PlacePage  the page around a place
 * @property {(decision: Decision) => void} decide
 * @property {HTMLElement} crop  the element for its region on the page
 * @property {(number: number) => void} open  called if another place is pressed
 * @property {() => void} redraw
 * @property {() => string} references  returns the name of the file
 * @property {(text: string) => void} say
 * @property {(text: string) => void} toast
 */

const BY_PICKING = ["ground_truth", "prediction", "both"]; // verdicts of blind work

export class PlaceView {
  /**
   * @param {HTMLElement} screen
   * @param {Worklist} state
   * @param {PlacePage} page
   */
  constructor(screen, state, page) {
    this.screen = screen;
    this.state = state;
    this.page = page;
    this.part = partsOf(screen, ".rv-");
    /** @type {Reach} the places that the next verdict decides */
    this.reach = "place";
    this.neither = this.part("neither", HTMLFormElement);
    this.typed = findElement(this.neither, "textarea", HTMLTextAreaElement);
    this.neither.addEventListener("submit", (event) => {
      event.preventDefault();
      const { value } = this.typed;
      if (!value.trim() || !this.checkTyped(value)) return;
      this.closeNeither();
      page.decide({ verdict: "other", answer: state.chosen, value });
    });
    this.typed.addEventListener("input", () => this.typed.setCustomValidity(""));
    this.neither.addEventListener("keydown", (event) => {
      if (event.key === "Escape") {
        event.stopPropagation();
        this.closeNeither();
      }
      const isLineBreak = event.shiftKey || event.isComposing;
      if (event.target !== this.typed || event.key !== "Enter" || isLineBreak) return;
      event.preventDefault();
      this.neither.requestSubmit();
    });
  }

  /** Prepare for another place. */
  begin() {
    this.reach = this.state.usualReach;
    this.closeNeither();
  }

  /** Let the verdict apply to more places, or to only this one again. */
  widen() {
    const offered = this.state.reaches().filter(({ until }) => !until);
    const at = offered.findIndex(({ reach }) => reach === this.reach);
    this.setReach(offered[(at + 1) % offered.length].reach);
  }

  setReach(/** @type {Reach} */ reach) {
    this.reach = reach;
    this.drawReach();
  }

  /** Draw the place, without its context. */
  draw(/** @type {Server.Place} */ place) {
    const { state } = this;
    const names = (state.result?.systems ?? []).map(({ name }) => name);
    this.part("path").textContent = placeName(place);
    this.part("path").title = placeName(place);
    this.part("who").replaceChildren(newElement("span", "mono", place.id), this.agreement(place, names));
    drawPlace(this.part("body"), place, {
      systems: names,
      references: this.page.references(),
      chosen: state.chosen,
      size: state.sizeOfGroup(),
      isBlind: state.isBlind,
      picked: state.picked,
      fault: state.faultAt(state.current),
      both: this.bothVerdicts(place),
      crop: this.page.crop,
      choose: (side) => this.choose(side),
    });
    this.drawChoices();
  }

  /** Say how many systems agree, and what was decided earlier. */
  agreement(/** @type {Server.Place} */ place, /** @type {string[]} */ names) {
    const { state } = this;
    const [first] = place.answers;
    const isAlone = place.agree === 1 && first?.systems.length === 1;
    const said = [""];
    if (state.hasSystems && state.mode !== "sample") {
      said.push(isAlone ? `Only ${names[first.systems[0]]} says this` : `${place.agree} of ${place.of} agree`);
    }
    if (place.drawn > 1) said.push(`sampled ${place.drawn} times`);
    const { current } = state;
    const more = state.more(current);
    if (more) said.push(`and ${more.toLocaleString("en")} more like it`);
    const mine = state.verdicts.at(current);
    if (mine && !state.decisions.has(current)) said.push("decided with its group");
    const earlier = mine ? undefined : state.earlier.get(current);
    if (earlier) said.push(`earlier: ${decisionWords(place, earlier)}`);
    return said.join(" · ");
  }

  /** Return both verdicts if two readers differ, else "". */
  bothVerdicts(/** @type {Server.Place} */ place) {
    const { state } = this;
    const mine = state.verdicts.at(state.current);
    const window_ = state.others.get(state.current);
    const other = window_ ?? state.second.get(state.current);
    if (!mine || !other) return "";
    const where = window_ ? "In another window" : "Second reader";
    return `Here: ${decisionWords(place, mine)}. ${where}: ${decisionWords(place, other)}.`;
  }

  drawBeside(/** @type {Server.Place} */ place, /** @type {Server.Beside} */ found) {
    drawBeside(this.part("body"), place, found, this.state, (number) => this.page.open(number));
  }

  choose(/** @type {number} */ side) {
    this.state.choose(side);
    this.page.redraw();
  }

  chooseByLetter(/** @type {number} */ letter) {
    const side = this.part("item").hidden ? undefined : this.state.sideOf(letter);
    if (side !== undefined) this.choose(side);
  }

  /** Draw the choices with their words, and mark the current one. */
  drawChoices() {
    const { state } = this;
    const { isBlind } = state;
    const words = state.choices();
    const verdict = state.verdicts.at(state.current)?.verdict ?? "";
    for (const button of findElements(this.screen, "[data-choice]")) {
      const key = button.dataset.choice ?? "";
      const isOfBlind = key === "1" && BY_PICKING.includes(verdict);
      const isTaken = isBlind ? isOfBlind : verdict === VERDICTS[Number(key) - 1];
      button.hidden = isBlind && ["2", "3"].includes(key);
      findElement(button, "b").textContent = words[key][0];
      findElement(button, "small").textContent = words[key][1];
      button.setAttribute("aria-pressed", String(isTaken));
    }
    this.part("choices").toggleAttribute("data-few", isBlind);
    this.drawReach();
  }

  /** Draw the reach of a verdict: the place, similar places in its document, or all, once three have one verdict. */
  drawReach() {
    const choices = this.state.reaches();
    if (!choices.some(({ reach, until }) => reach === this.reach && !until)) this.reach = "place";
    const part = this.part("reach");
    part.hidden = choices.length < 2;
    const bar = findElement(part, ".seg");
    const labels = choices.map(({ words, until }) => (until ? `${words}, ${until}` : words));
    if (labels.join() !== [...bar.children].map((button) => button.textContent).join()) {
      bar.replaceChildren(...choices.map(({ reach }, at) => newButton("", labels[at], () => this.setReach(reach))));
    }
    findElements(bar, "button").forEach((button, at) => {
      button.toggleAttribute("disabled", choices[at].until !== "");
      button.setAttribute("aria-pressed", String(choices[at].reach === this.reach));
    });
  }

  /** Make the choice of a key. */
  press(/** @type {string} */ key) {
    const { state } = this;
    const button = findElement(this.screen, `[data-choice="${key}"]`);
    if (button.hidden || !state.place || this.part("item").hidden) return;
    if (key === "4" && this.neither.hidden) this.openNeither();
    else if (key === "4") this.closeNeither();
    else if (key === "1" && state.isBlind) this.decideBlind();
    else this.page.decide({ verdict: VERDICTS[Number(key) - 1], answer: state.chosen, value: "" });
  }

  /** In blind work, derive the verdict from the picked values. */
  decideBlind() {
    const decision = this.state.pickedDecision();
    if (decision) {
      this.page.decide(decision);
      return;
    }
    this.page.toast(this.state.picked.size ? "More than two values cannot be right here." : "Choose a value first.");
  }

  openNeither() {
    const { state } = this;
    const { place } = state;
    if (!place) return;
    if (this.reach !== "place") this.page.toast("Neither is for one place.");
    this.setReach("place");
    const decision = state.verdicts.at(state.current);
    const row = place.whole ? (place.answers[state.chosen]?.text ?? "") : "";
    const edit = state.isBlind ? "" : (place.edit ?? row);
    const isTooLong = place.truth !== null && place.edit === null;
    this.neither.hidden = false;
    findElement(this.screen, '[data-choice="4"]').setAttribute("aria-pressed", "true");
    this.typed.value = decision?.verdict === "other" ? decision.value : edit;
    this.typed.placeholder = isTooLong ? "too long to be shown here: type all of it" : "";
    this.typed.focus();
  }

  /** Return whether a typed text is another value, and a row if one is expected; else the field says why not. */
  checkTyped(/** @type {string} */ value) {
    const { place } = this.state;
    const ofRow = place?.whole ? faultOfRow(value, place) : "";
    const fault = value === place?.edit ? "This is the value above: choose it there." : ofRow;
    this.typed.setCustomValidity(fault);
    if (fault) this.typed.reportValidity();
    return !fault;
  }

  closeNeither() {
    if (this.neither.hidden) return;
    const hasFocus = this.neither.contains(document.activeElement);
    this.neither.hidden = true;
    if (this.state.place) this.drawChoices();
    if (hasFocus) this.part("path").focus({ preventScroll: true });
  }
}
