// What the tab for a test set shows: a result, its documents, and the view of them that stands in the address.

import { shareOf } from "../parts/places.js";
import { newest } from "../parts/uploads.js";
import { NO_VIEW, addressOf } from "../parts/views.js";
import { finestLevel } from "./grounding.js";

/** @import { Level } from "../parts/places.js" */
/** @import { View } from "../parts/views.js" */
/** @typedef {Pick<Server.FileRequest, "references" | "predictions" | "reading">} Files  by the names on the server */

const EXAMPLE = "example"; // in place of the name of a result
const OF_DOCUMENT = ["document", "row", "image"]; // parts of a view that leave the list as it is
/** @type {Partial<View>[]} */
const FILTERS = [
  { cause: null },
  { field: null },
  { within: null },
  { find: "" },
  { low: 0, high: 1 },
  { slice: null },
  { share: "" },
]; // taken back

/** Whether changes of a view ask for other documents. @type {(changes: Partial<View>) => boolean} */
export const changesList = (changes) => Object.keys(changes).some((name) => !OF_DOCUMENT.includes(name));

/** The files of a request, also if the server lost them and has them under other names since. */
const filesOf = (/** @type {Server.FileRequest} */ { references, predictions }) =>
  JSON.stringify(newest([references, predictions]));

const optionsOf = (/** @type {Server.FileRequest} */ { reading, what_if: whatIf, metrics, by, skip }) =>
  JSON.stringify([reading, whatIf, metrics, by, skip]);

export class TestsetState {
  constructor() {
    /** @type {Server.TestSet | null} */
    this.result = null;
    /** @type {Server.Listing | null} the names and scores of all documents */
    this.all = null;
    /** @type {Server.View | null} the documents that the filters leave */
    this.shown = null;
    /** @type {View} */
    this.view = { ...NO_VIEW };
    /** @type {View} that of the documents that are shown */
    this.viewShown = this.view;
    /** @type {Server.Document | null} the document whose tree is drawn */
    this.answer = null;
    this.drawn = ""; // the result and the document of that tree
    this.isAgain = false; // the same files were scored again with the same options
  }

  /** The numbers of the documents that the filters leave. */
  get order() {
    return this.shown?.order ?? [];
  }

  /** The result and the document that are to be drawn. */
  get chosen() {
    return `${this.result?.run} ${this.view.document}`;
  }

  /** The document whose tree is there, null while it is not that of the choice. */
  get document() {
    return this.drawn === this.chosen ? this.view.document : null;
  }

  /** Where the values of the drawn tree are expected, cited and found. */
  get places() {
    return this.answer?.places ?? [];
  }

  /** The level that decides whether a value is at the right place. @returns {Level} */
  get level() {
    return this.view.level || (finestLevel(this.result?.grounding ?? null) ?? "box");
  }

  /** Of the names, scores or images of all documents that of the chosen one. */
  ofChosen(/** @type {"names" | "scores" | "images"} */ part) {
    return this.all?.[part][this.view.document ?? -1] ?? "";
  }

  change(/** @type {Partial<View>} */ changes) {
    this.view = { ...this.view, ...changes };
  }

  /** A new result: its view is that of a link, else the view before if the files are the same, which is returned. */
  open(/** @type {Server.TestSet} */ found, /** @type {View | null} */ link) {
    const before = this.result?.asked ?? null;
    const areSame = before !== null && filesOf(before) === filesOf(found.asked);
    this.isAgain = areSame && optionsOf(before) === optionsOf(found.asked);
    this.result = found;
    this.view = { ...(link ?? (areSame ? this.view : NO_VIEW)), documents: found.example ? EXAMPLE : found.run };
    if (!areSame) this.forget();
    return areSame;
  }

  /** The documents of the result; those before stay chosen where they are the same. */
  list(/** @type {Server.Listing} */ listing, /** @type {boolean} */ areSame) {
    const names = this.all?.names;
    const isSame =
      areSame && names?.length === listing.names.length && names.every((name, at) => name === listing.names[at]);
    const { documents } = this.view;
    this.view = isSame ? { ...this.view, row: this.isAgain ? this.view.row : null } : { ...NO_VIEW, documents };
    this.forget();
    this.all = listing;
  }

  /** Nothing is known of the documents. */
  forget() {
    [this.all, this.shown, this.answer, this.drawn] = [null, null, null, ""];
  }

  /** The filters leave these documents; returns whether the list begins anew. */
  show(/** @type {Server.View} */ shown) {
    const isOther = (/** @type {keyof View} */ name) => this.viewShown[name] !== this.view[name];
    const anew = /** @type {const} */ (["cause", "within", "find", "slice", "share"]);
    const isNew = this.shown !== null && anew.some(isOther);
    [this.shown, this.viewShown] = [shown, this.view];
    return isNew;
  }

  /**
   * A document that the filters leave is chosen, without filters the first that has a file; returns whether it is
   * another one.
   */
  choose(/** @type {(number: number) => boolean} */ hasFile = () => false) {
    const { order } = this;
    if (this.view.document !== null && order.includes(this.view.document)) return false;
    const first = this.cleared(true) ? undefined : order.find(hasFile);
    this.change({ document: first ?? order[0] ?? null, row: null });
    return true;
  }

  /**
   * The document some steps from the chosen one, or the last in that direction.
   * @type {(step: number) => number | undefined}
   */
  next(step) {
    const at = this.order.indexOf(this.view.document ?? -1) + step;
    return this.order[Math.min(Math.max(at, 0), this.order.length - 1)];
  }

  /** What takes back the filter that was set last, in their order, or all; null if none is set. */
  cleared(/** @type {boolean} */ isAll) {
    const set = FILTERS.filter((without) => addressOf({ ...this.view, ...without }) !== addressOf(this.view));
    /** @type {Partial<View>} */
    const changes = Object.assign({}, ...(isAll ? set : set.slice(-1)));
    return set.length ? changes : null;
  }

  /** Whether something that is typed or brushed goes on, which is one step of Back. */
  goesOn(/** @type {Partial<View>} */ changes) {
    const names = /** @type {(keyof View)[]} */ (Object.keys(changes));
    return names.some((name) => this.view[name] !== NO_VIEW[name]);
  }

  /** The numbers of the rows of the tree that the filters mean. */
  hits() {
    const { cause, field, within, share } = this.view;
    if (share) return this.places.filter((row) => shareOf(row, this.level) === share).map(({ row }) => row);
    if (cause === null && field === null && within === null) return [];
    const marks = this.answer?.marks ?? [];
    return marks
      .filter(([, ofField, ofCause]) => [null, ofField].includes(field) && [null, ofCause].includes(cause))
      .filter(([, ofField]) => ofField.startsWith(within ?? ""))
      .map(([row]) => row);
  }

  /** Whether a name in an address is that of this result. */
  isOpen(/** @type {string} */ name) {
    return this.result !== null && [this.result.run, this.view.documents].includes(name);
  }
}
