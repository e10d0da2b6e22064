// The place of a review that is shown: its values, and the choices by which it is decided, by key or button.

import { findElement, findElements, newElement, partsOf } from "../parts/elements.js";
import { drawBeside, drawPlace } from "./item.js";
import { VERDICTS, placeName, verdictWords } from "./places.js";

/** @import { Decision } from "./places.js" */
/** @import { Worklist } from "./worklist.js" */
/**
 * @typedef {object} PlacePage  the page around a place
 * @property {(decision: Decision) => void} decide
 * @property {(number: number) => void} open  another place was pressed
 * @property {() => void} redraw
 * @property {() => string} references  the name of the file
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
    this.every = findElement(this.part("all"), "input", HTMLInputElement);
    this.neither = this.part("neither", HTMLFormElement);
    this.typed = findElement(this.neither, "textarea", HTMLTextAreaElement);
    this.neither.addEventListener("submit", (event) => {
      event.preventDefault();
      const { value } = this.typed;
      if (!value.trim()) return;
      this.closeNeither();
      page.decide({ verdict: "other", answer: state.chosen, value });
    });
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

  /** Whether the verdict is for all open places of the group. */
  get isForAll() {
    return this.every.checked;
  }

  /** Another place is shown. */
  begin() {
    this.every.checked = false;
    this.closeNeither();
  }

  toggleAll() {
    if (!this.every.disabled && !this.part("all").hidden) this.every.checked = !this.every.checked;
  }

  /** Draw the place; what stands beside it has a place in the part that is returned. */
  draw(/** @type {Server.Place} */ place) {
    const { state } = this;
    const names = (state.result?.systems ?? []).map(({ name }) => name);
    const body = this.part("body");
    this.part("path").textContent = placeName(place);
    this.part("path").title = placeName(place);
    this.part("who").replaceChildren(newElement("span", "mono", place.id), this.agreement(place, names));
    drawPlace(body, place, {
      systems: names,
      references: this.page.references(),
      chosen: state.chosen,
      size: state.groupOf(state.current)?.numbers.length ?? 1,
      isBlind: state.isBlind,
      picked: state.picked,
      choose: (side) => this.choose(side),
    });
    this.drawChoices();
    return body;
  }

  /** How many systems say the same, and what was decided earlier. */
  agreement(/** @type {Server.Place} */ place, /** @type {string[]} */ names) {
    const { state } = this;
    const [first] = place.answers;
    const isAlone = place.agree === 1 && first?.systems.length === 1;
    const said = [""];
    if (state.hasSystems && state.mode !== "sample") {
      said.push(isAlone ? `Only ${names[first.systems[0]]} says this` : `${place.agree} of ${place.of} agree`);
    }
    if (place.drawn > 1) said.push(`drawn ${place.drawn} times`);
    const earlier = state.decisions.has(state.current) ? undefined : state.earlier.get(state.current);
    if (earlier) said.push(`earlier: ${verdictWords(place, earlier.verdict)}`);
    const mine = state.decisions.get(state.current);
    const other = state.others.get(state.current);
    if (mine && other) {
      said.push(`here: ${verdictWords(place, mine.verdict)}`);
      said.push(`in another window: ${verdictWords(place, other.verdict)}`);
    }
    return said.join(" · ");
  }

  drawBeside(/** @type {Server.Place} */ place, /** @type {Server.Beside} */ found) {
    drawBeside(this.part("body"), place, found, (number) => this.page.open(number));
  }

  choose(/** @type {number} */ side) {
    this.state.choose(side);
    this.page.redraw();
  }

  chooseByLetter(/** @type {number} */ letter) {
    const side = this.part("item").hidden ? undefined : this.state.sideOf(letter);
    if (side !== undefined) this.choose(side);
  }

  /** The words of the choices, and which is taken. */
  drawChoices() {
    const { state } = this;
    const { place, isBlind } = state;
    const words = state.choices();
    const verdict = state.decisions.get(state.current)?.verdict ?? "";
    for (const button of findElements(this.screen, "[data-choice]")) {
      const key = button.dataset.choice ?? "";
      const isOfBlind = key === "1" && BY_PICKING.includes(verdict);
      const isTaken = isBlind ? isOfBlind : verdict === VERDICTS[Number(key) - 1];
      const isWhole = place?.whole && ["3", "4"].includes(key);
      button.hidden = isWhole || (isBlind && ["2", "3"].includes(key));
      findElement(button, "b").textContent = words[key][0];
      findElement(button, "small").textContent = words[key][1];
      button.setAttribute("aria-pressed", String(isTaken));
    }
    this.part("choices").toggleAttribute("data-few", place?.whole || isBlind);
    this.drawAllOfGroup();
  }

  /** The box for a whole group: on once three of its places have the same verdict. */
  drawAllOfGroup() {
    const { state } = this;
    const group = state.isBlind ? undefined : state.groupOf(state.current);
    const label = this.part("all");
    label.hidden = !group;
    if (!group) {
      this.every.checked = false;
      return;
    }
    const until = state.untilSure();
    const size = group.numbers.length;
    const all = size === 2 ? "both" : `all ${size.toLocaleString("en")}`;
    this.every.disabled = until !== "";
    if (this.every.disabled) this.every.checked = false;
    findElement(label, "span").textContent = `The same for ${all} of this group${until}`;
  }

  /** A choice, by its key. */
  press(/** @type {string} */ key) {
    const { state } = this;
    const button = findElement(this.screen, `[data-choice="${key}"]`);
    if (button.hidden || !state.place || this.part("item").hidden) return;
    if (key === "4" && this.neither.hidden) this.openNeither();
    else if (key === "4") this.closeNeither();
    else if (key === "1" && state.isBlind) this.decideBlind();
    else this.page.decide({ verdict: VERDICTS[Number(key) - 1], answer: state.chosen, value: "" });
  }

  /** Blind: the values that are picked decide which verdict it is. */
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
    if (this.every.checked) this.page.toast("Neither is for one place.");
    this.every.checked = false;
    const decision = state.decisions.get(state.current);
    const edit = state.isBlind ? "" : (place.edit ?? "");
    const isTooLong = place.truth !== null && place.edit === null;
    this.neither.hidden = false;
    findElement(this.screen, '[data-choice="4"]').setAttribute("aria-pressed", "true");
    this.typed.value = decision?.verdict === "other" ? decision.value : edit;
    this.typed.placeholder = isTooLong ? "too long to be shown here: type all of it" : "";
    this.typed.focus();
  }

  closeNeither() {
    if (this.neither.hidden) return;
    const hasFocus = this.neither.contains(document.activeElement);
    this.neither.hidden = true;
    if (this.state.place) this.drawChoices();
    if (hasFocus) this.part("path").focus({ preventScroll: true });
  }
}
