// The scoring options within an element: get and set their values; only options that the metric uses are shown.

import { findElement, findElements, newButton, newElement } from "./elements.js";

/** @typedef {HTMLInputElement | HTMLSelectElement} OptionInput */
/** @typedef {{words: string, show: () => void, takeBack: () => void}} Chip */

const nameOf = (/** @type {HTMLElement} */ input) => input.dataset.option ?? "";
const radio = (/** @type {OptionInput} */ input) =>
  input instanceof HTMLInputElement && input.type === "radio" ? input : null;
const isOfOthers = (/** @type {OptionInput} */ input) => Boolean(input.closest("[data-metrics][hidden]"));
const isDefault = (/** @type {OptionInput} */ input) =>
  radio(input) ? input.dataset.default === "true" : input.value === input.dataset.default;

const valueOf = (/** @type {OptionInput} */ input) => {
  if (input instanceof HTMLInputElement && input.type === "number") return input.valueAsNumber;
  return radio(input) && ["true", "false"].includes(input.value) ? input.value === "true" : input.value;
};

const setValue = (/** @type {OptionInput} */ input, /** @type {unknown} */ value) => {
  const choice = radio(input);
  if (choice) choice.checked = input.value === String(value);
  else if (input.value !== String(value)) [input.value, input.title] = [String(value), ""];
};

/** @template {object} O  the values by option name */
export class Options {
  /** @param {HTMLElement} root */
  constructor(root) {
    this.root = root;
    const schema = root.querySelector("[data-option=schema]");
    this.schema = schema instanceof HTMLInputElement ? schema : null;
    this.suggested = ""; // the schema that came with the scored texts or files, not from the visitor
    this.lead = newButton("inline", "Choose a schema", () => {});
    if (this.schema) this.takeSchemas(this.schema);
  }

  /** Take the text of a file as the schema, and its name as the title of the input. */
  takeSchemas(/** @type {HTMLInputElement} */ schema) {
    const file = findElement(this.root, "input[type=file]", HTMLInputElement);
    this.lead.addEventListener("click", () => file.click());
    findElement(this.root, ".schema button").addEventListener("click", () => file.click());
    // the note on comparing numbers by value links to the schema, which that needs
    const note = this.root.querySelector("[data-option=numbers]")?.closest(".opt")?.querySelector("small");
    note?.append(" ", this.lead);
    for (const kind of ["input", "change"]) file.addEventListener(kind, (event) => event.stopPropagation());
    file.addEventListener("change", async () => {
      const [chosen] = file.files ?? [];
      file.value = "";
      if (!chosen) return;
      [schema.value, schema.title] = [await chosen.text(), chosen.name];
      this.root.dispatchEvent(new Event("input"));
    });
  }

  inputs() {
    const inputs = [...this.root.querySelectorAll("[data-option]")];
    return inputs.filter((input) => input instanceof HTMLInputElement || input instanceof HTMLSelectElement);
  }

  /** Return the inputs that hold values: of radio buttons, only the checked ones. */
  taken() {
    return this.inputs().filter((input) => radio(input)?.checked ?? true);
  }

  /** Return the values of the options that the metric uses; the server has defaults for the others. */
  read() {
    const used = this.taken().filter((input) => !isOfOthers(input));
    return /** @type {O} */ (Object.fromEntries(used.map((input) => [nameOf(input), valueOf(input)])));
  }

  take(/** @type {Partial<O>} */ values) {
    const wanted = new Map(Object.entries(values));
    for (const input of this.inputs()) if (wanted.has(nameOf(input))) setValue(input, wanted.get(nameOf(input)));
  }

  /** Take the options of a remedy. A schema among them is a suggested schema. */
  accept(/** @type {Partial<O> & {schema?: string}} */ values) {
    this.take(values);
    this.suggested = values.schema ?? this.suggested;
  }

  /** The schema that the visitor chose, "" for none. */
  get chosenSchema() {
    const { value = "" } = this.schema ?? {};
    return value === this.suggested ? "" : value;
  }

  /** Prepare for other texts or files: remove a suggested schema, and keep the visitor's own. */
  leave() {
    if (!this.chosenSchema) this.reset("schema");
    this.suggested = "";
  }

  /** Show the options of a metric. */
  show(/** @type {string} */ metric) {
    for (const label of findElements(this.root, "[data-metrics]")) {
      label.hidden = !label.dataset.metrics?.split(",").includes(metric);
    }
    this.drawSchema();
  }

  drawSchema() {
    if (!this.schema) return;
    this.lead.hidden = isOfOthers(this.schema);
    findElement(this.root, ".schema span").textContent = this.schema.value && (this.schema.title || "in use");
    const metric = findElement(this.root, "[value=anls_star]");
    const label = metric instanceof HTMLInputElement ? metric.nextSibling : metric;
    if (label) label.textContent = this.schema.value ? "Typed score" : "ANLS*";
  }

  /** Return the visible options that differ from the defaults, with functions that open and reset each. */
  changed() {
    return this.taken()
      .filter((input) => !isDefault(input) && !isOfOthers(input))
      .map((input) => ({
        name: nameOf(input),
        words: this.wordsOf(input),
        show: this.opener(input === this.schema ? findElement(this.root, ".schema button") : input),
        takeBack: () => this.reset(nameOf(input)),
      }));
  }

  wordsOf(/** @type {OptionInput} */ input) {
    if (input instanceof HTMLSelectElement) return input.selectedOptions[0].text;
    if (input === this.schema) return `by schema ${input.title}`.trim();
    return input.dataset.words ?? `${nameOf(input)} ${input.value}`;
  }

  /** Return a function that opens the popover at an option. @type {(input: HTMLElement) => () => void} */
  opener(input) {
    return () => {
      this.root.setAttribute("open", "");
      input.closest("details")?.setAttribute("open", "");
      input.focus();
    };
  }

  /** Draw the changed options as chips: the words open the option, and × resets it. `after` is called once it is reset. */
  chips(/** @type {HTMLElement} */ place, /** @type {Chip[]} */ chips, after = () => {}) {
    place.replaceChildren(...chips.map((chip) => this.chip(chip, after)));
  }

  chip(/** @type {Chip} */ { words, show, takeBack }, /** @type {() => void} */ after) {
    const lead = newButton("", words, () => {});
    const close = newButton("", "×", () => {
      takeBack();
      after();
      findElement(this.root, "summary").focus();
    });
    lead.addEventListener("click", (event) => {
      event.stopPropagation(); // a click elsewhere would close it again
      show();
    });
    close.setAttribute("aria-label", `Undo: ${words}`);
    return newElement("span", "chip", lead, close);
  }

  reset(/** @type {string} */ name) {
    for (const input of this.inputs()) {
      const choice = radio(input);
      if (nameOf(input) !== name) continue;
      if (choice) choice.checked = isDefault(choice);
      else input.value = input.dataset.default ?? "";
    }
  }
}
