// The view of a review's current place: its values, and the choices that decide it by key or button.

import { findElement, findElements, newButton, newElement, partsOf } from "../parts/elements.js";
import { drawBeside, drawPlace } from "./item.js";
import { VERDICTS, decisionWords, faultOfRow, placeName } from "./places.js";
import { choicesOf } from "./sentences.js";

/** @import { ReviewTab } from "./review.js" */
/** @import { Reach } from "./worklist.js" */
/** @typedef {Pick<ReviewTab, "state" | "deciding" | "crop" | "visit" | "toast" | "drawItem">} PlacePage */

const BY_PICKING = ["ground_truth", "prediction", "both"]; // verdicts of blind work

export class PlaceView {
  /**
   * @param {HTMLElement} screen
   * @param {PlacePage} page
   */
  constructor(screen, page) {
    this.screen = screen;
    this.page = page;
    this.part = partsOf(screen, ".rv-");
    this.neither = this.part("neither", HTMLFormElement);
    this.typed = findElement(this.neither, "textarea", HTMLTextAreaElement);
    this.neither.addEventListener("submit", (event) => {
      event.preventDefault();
      const { value } = this.typed;
      if (!value.trim() || !this.checkTyped(value)) return;
      this.closeNeither();
      page.deciding.decide({ verdict: "other", answer: this.worklist.chosen, value });
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

  get worklist() {
    return this.page.state.worklist;
  }

  /** Let the verdict apply to more places, or to only this one again. */
  widen() {
    this.worklist.widen();
    this.drawReach();
  }

  setReach(/** @type {Reach} */ reach) {
    this.worklist.wanted = reach;
    this.drawReach();
  }

  /** Draw the place, without its context. */
  draw(/** @type {Server.Place} */ place) {
    const { worklist } = this;
    const names = (worklist.result?.systems ?? []).map(({ name }) => name);
    this.part("path").textContent = placeName(place);
    this.part("path").title = placeName(place);
    this.part("who").replaceChildren(newElement("span", "mono", place.id), this.agreement(place, names));
    drawPlace(this.part("body"), place, {
      systems: names,
      references: this.page.state.references,
      chosen: worklist.chosen,
      size: worklist.sizeOfGroup(),
      isBlind: worklist.isBlind,
      picked: worklist.picked,
      fault: worklist.faultAt(worklist.current),
      both: this.bothVerdicts(place),
      crop: this.page.crop,
      choose: (side) => this.choose(side),
    });
    this.drawChoices();
  }

  /** Say how many systems agree, and what was decided earlier. */
  agreement(/** @type {Server.Place} */ place, /** @type {string[]} */ names) {
    const { worklist } = this;
    const [first] = place.answers;
    const isAlone = place.agree === 1 && first?.systems.length === 1;
    const said = [""];
    if (worklist.hasSystems && worklist.mode !== "sample") {
      said.push(isAlone ? `Only ${names[first.systems[0]]} says this` : `${place.agree} of ${place.of} agree`);
    }
    if (place.drawn > 1) said.push(`sampled ${place.drawn} times`);
    const { current } = worklist;
    const more = worklist.more(current);
    if (more) said.push(`and ${more.toLocaleString("en")} more like it`);
    const mine = worklist.verdicts.at(current);
    if (mine && !worklist.decisions.has(current)) said.push("decided with its group");
    const earlier = mine ? undefined : worklist.earlier.get(current);
    if (earlier) said.push(`earlier: ${decisionWords(place, earlier)}`);
    return said.join(" · ");
  }

  /** Return both verdicts if two readers differ, else "". */
  bothVerdicts(/** @type {Server.Place} */ place) {
    const { worklist } = this;
    const mine = worklist.verdicts.at(worklist.current);
    const window_ = worklist.others.get(worklist.current);
    const other = window_ ?? worklist.second.get(worklist.current);
    if (!mine || !other) return "";
    const where = window_ ? "In another window" : "Second reader";
    return `Here: ${decisionWords(place, mine)}. ${where}: ${decisionWords(place, other)}.`;
  }

  drawBeside(/** @type {Server.Place} */ place, /** @type {Server.Beside} */ found) {
    drawBeside(this.part("body"), place, found, this.worklist, (number) => this.page.visit(number));
  }

  choose(/** @type {number} */ side) {
    this.worklist.choose(side);
    this.page.drawItem();
  }

  chooseByLetter(/** @type {number} */ letter) {
    const side = this.page.state.isDone ? undefined : this.worklist.sideOf(letter);
    if (side !== undefined) this.choose(side);
  }

  /** Draw the choices with their words, and mark the current one. */
  drawChoices() {
    const { worklist } = this;
    const { isBlind } = worklist;
    const words = choicesOf(worklist);
    const verdict = worklist.verdicts.at(worklist.current)?.verdict ?? "";
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
    const choices = this.worklist.reaches();
    const current = this.worklist.reach;
    const part = this.part("reach");
    part.hidden = choices.length < 2;
    const bar = findElement(part, ".seg");
    const labels = choices.map(({ words, until }) => (until ? `${words}, ${until}` : words));
    if (labels.join() !== [...bar.children].map((button) => button.textContent).join()) {
      bar.replaceChildren(...choices.map(({ reach }, at) => newButton("", labels[at], () => this.setReach(reach))));
    }
    findElements(bar, "button").forEach((button, at) => {
      button.toggleAttribute("disabled", choices[at].until !== "");
      button.setAttribute("aria-pressed", String(choices[at].reach === current));
    });
  }

  /** Make the choice of a key. */
  press(/** @type {string} */ key) {
    const { worklist } = this;
    const button = findElement(this.screen, `[data-choice="${key}"]`);
    if (button.hidden || !worklist.place || this.page.state.isDone) return;
    if (key === "4" && this.neither.hidden) this.openNeither();
    else if (key === "4") this.closeNeither();
    else if (key === "1" && worklist.isBlind) this.decideBlind();
    else this.page.deciding.decide({ verdict: VERDICTS[Number(key) - 1], answer: worklist.chosen, value: "" });
  }

  /** In blind work, derive the verdict from the picked values. */
  decideBlind() {
    const decision = this.worklist.pickedDecision();
    if (decision) {
      this.page.deciding.decide(decision);
      return;
    }
    this.page.toast(this.worklist.picked.size ? "More than two values cannot be right here." : "Choose a value first.");
  }

  openNeither() {
    const { worklist } = this;
    const { place } = worklist;
    if (!place) return;
    if (worklist.reach !== "place") this.page.toast("Neither is for one place.");
    this.setReach("place");
    const decision = worklist.verdicts.at(worklist.current);
    const row = place.whole ? (place.answers[worklist.chosen]?.text ?? "") : "";
    const edit = worklist.isBlind ? "" : (place.edit ?? row);
    const isTooLong = place.truth !== null && place.edit === null;
    this.neither.hidden = false;
    findElement(this.screen, '[data-choice="4"]').setAttribute("aria-pressed", "true");
    this.typed.value = decision?.verdict === "other" ? decision.value : edit;
    this.typed.placeholder = isTooLong ? "too long to be shown here: type all of it" : "";
    this.typed.focus();
  }

  /** Return whether a typed text is another value, and a row if one is expected; else the field says why not. */
  checkTyped(/** @type {string} */ value) {
    const { place } = this.worklist;
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
    if (this.worklist.place) this.drawChoices();
    if (hasFocus) this.part("path").focus({ preventScroll: true });
  }
}
