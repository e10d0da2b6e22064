// The state of the tab for a test set: a result, its documents, and the view of them, which is in the address.

import { NO_DOCUMENT } from "../parts/document_files.js";
import { IOU, SHARE_NAMES, shareOf } from "../parts/places.js";
import { newest } from "../parts/uploads.js";
import { NO_VIEW, addressOf } from "../parts/views.js";
import { finestLevel } from "./grounding.js";

/** @import { LoadedDocument } from "../parts/document_files.js" */
/** @import { Level } from "../parts/places.js" */
/** @import { View } from "../parts/views.js" */
/** @typedef {Pick<Server.FileRequest, "references" | "predictions" | "reading">} Files  by their names on the server */

const EXAMPLE = "example"; // used in addresses instead of the name of a result
const OF_DOCUMENT = ["document", "row", "image"]; // parts of a view that do not change the list
/** @type {Partial<View>[]} */
const FILTERS = [
  { cause: null },
  { field: null },
  { within: null },
  { find: "" },
  { low: 0, high: 1 },
  { slice: null },
  { share: "" },
]; // the changes that remove each filter

/** Return whether changes of a view can change the list of documents. @type {(changes: Partial<View>) => boolean} */
export const changesList = (changes) => Object.keys(changes).some((name) => !OF_DOCUMENT.includes(name));

/** Return a key of a request's files, also if the server lost them and now has them under other names. */
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
    /** @type {Server.View | null} the documents that pass the filters */
    this.shown = null;
    /** @type {View} */
    this.view = { ...NO_VIEW };
    /** @type {View} the view of the documents that are shown */
    this.viewShown = this.view;
    /** @type {Server.Document | null} the document whose tree is rendered */
    this.answer = null;
    this.drawn = ""; // the result and the document of that tree
    this.isAgain = false; // the same files were scored again with the same options
    /** @type {LoadedDocument} the files of the document whose tree is rendered */
    this.loaded = NO_DOCUMENT;
    this.unfolded = ""; // the document and the share whose other values are shown
    this.isKeptClosed = false; // the visitor closed the document
    this.seg = "1"; // the pane that a phone shows
    /** @type {"files" | "result"} */
    this.screen = "files";
  }

  /** The numbers of the documents that pass the filters. */
  get order() {
    return this.shown?.order ?? [];
  }

  /** A key of the result and the chosen document. */
  get chosen() {
    return `${this.result?.run} ${this.view.document}`;
  }

  /** The chosen document, null while its tree is not rendered yet. */
  get document() {
    return this.drawn === this.chosen ? this.view.document : null;
  }

  /** Whether the tree of the chosen document is not rendered yet. */
  get needsTree() {
    return this.result !== null && this.view.document !== null && this.drawn !== this.chosen;
  }

  /** A key of the chosen document and the share. */
  get folding() {
    return `${this.chosen} ${this.view.share}`;
  }

  /** Whether the values outside the share are folded. */
  get folds() {
    return this.view.share !== "" && this.unfolded !== this.folding;
  }

  /** The number of pages of the rendered document, 0 if unknown. */
  get pageCount() {
    const regions = this.places.flatMap(({ cited, expected }) => [...cited, ...expected]);
    return Math.max(this.loaded.pages.length, ...regions.map(([page]) => page ?? 0), 0);
  }

  /** The least overlap at which a box is accepted. */
  get iou() {
    const asked = this.result?.asked.what_if;
    return asked && "iou" in asked ? Number(asked.iou) : IOU;
  }

  /** The filters of the request for the documents. */
  get question() {
    const { cause, field, within, slice, find, sort, low, high, share } = this.view;
    return { cause, field, within, slice, find, sort, low, high, share: share || null, level: this.level };
  }

  /** The filters in words, each with the changes that remove it. */
  get filters() {
    const { cause, field, share, within, slice } = this.view;
    const { label = cause } = this.shown?.causes.find(({ name }) => name === cause) ?? {};
    /** @type {[words: string | null | undefined, without: Partial<View>][]} */
    const filters = [
      [label, { cause: null, row: null }],
      [field, { field: null, row: null }],
      [Object.entries(SHARE_NAMES).find(([name]) => name === share)?.[1], { share: "", row: null }],
      [within, { within: null }],
      [slice && `${this.result?.asked.by}: ${slice}`, { slice: null }],
    ];
    return filters.flatMap(([words, without]) => (words ? [{ words, without }] : []));
  }

  /** The regions where the values of the rendered tree are expected, cited and found. */
  get places() {
    return this.answer?.places ?? [];
  }

  /** The level that decides whether a value is in the right region. @returns {Level} */
  get level() {
    return this.view.level || (finestLevel(this.result?.grounding ?? null) ?? "box");
  }

  /** Return the name, score or image of the chosen document. */
  ofChosen(/** @type {"names" | "scores" | "images"} */ part) {
    return this.all?.[part][this.view.document ?? -1] ?? "";
  }

  /** Return the name of a document, and the image that its row names. @type {(number: number) => [string, string]} */
  fileOf(number) {
    return [this.all?.names[number] ?? "", this.all?.images[number] ?? ""];
  }

  change(/** @type {Partial<View>} */ changes) {
    this.view = { ...this.view, ...changes };
  }

  /** Take a result and the view of a link, else keep the view if the files are the same; return whether they are. */
  open(/** @type {Server.TestSet} */ found, /** @type {View | null} */ link) {
    const before = this.result?.asked ?? null;
    const areSame = before !== null && filesOf(before) === filesOf(found.asked);
    this.isAgain = areSame && optionsOf(before) === optionsOf(found.asked);
    this.result = found;
    this.view = { ...(link ?? (areSame ? this.view : NO_VIEW)), documents: found.example ? EXAMPLE : found.run };
    if (!areSame) this.forget();
    return areSame;
  }

  /** Take the documents of the result; keep the view if they are the same as before. */
  list(/** @type {Server.Listing} */ listing, /** @type {boolean} */ areSame) {
    const names = this.all?.names;
    const isSame =
      areSame && names?.length === listing.names.length && names.every((name, at) => name === listing.names[at]);
    const { documents } = this.view;
    this.view = isSame ? { ...this.view, row: this.isAgain ? this.view.row : null } : { ...NO_VIEW, documents };
    this.forget();
    this.all = listing;
  }

  /** Take the rendered tree of a document, or none. */
  render(/** @type {string} */ chosen, /** @type {Server.Document | null} */ answer) {
    [this.drawn, this.answer] = [chosen, answer];
    if (!chosen) this.loaded = NO_DOCUMENT;
  }

  /** Let the chosen document be read again, since its files changed. */
  readAgain() {
    this.drawn = "";
  }

  /** Show the values outside the share, until another share or document is chosen. */
  unfold() {
    this.unfolded = this.folding;
  }

  /** Forget the documents. */
  forget() {
    [this.all, this.shown, this.answer, this.drawn] = [null, null, null, ""];
  }

  /** Take the documents that pass the filters; return whether the list starts from the top. */
  show(/** @type {Server.View} */ shown) {
    const isOther = (/** @type {keyof View} */ name) => this.viewShown[name] !== this.view[name];
    const anew = /** @type {const} */ (["cause", "within", "find", "slice", "share"]);
    const isNew = this.shown !== null && anew.some(isOther);
    [this.shown, this.viewShown] = [shown, this.view];
    return isNew;
  }

  /**
   * Choose a document that passes the filters: without filters the first that has a file. Return whether the choice
   * changes.
   */
  choose(/** @type {(number: number) => boolean} */ hasFile = () => false) {
    const { order } = this;
    if (this.view.document !== null && order.includes(this.view.document)) return false;
    const first = this.cleared(true) ? undefined : order.find(hasFile);
    this.change({ document: first ?? order[0] ?? null, row: null });
    return true;
  }

  /**
   * Return the document some steps from the chosen one, or the last one in that direction.
   * @type {(step: number) => number | undefined}
   */
  next(step) {
    const at = this.order.indexOf(this.view.document ?? -1) + step;
    return this.order[Math.min(Math.max(at, 0), this.order.length - 1)];
  }

  /** Return the changes that remove the last filter in their order, or all filters; null if none is set. */
  cleared(/** @type {boolean} */ isAll) {
    const set = FILTERS.filter((without) => addressOf({ ...this.view, ...without }) !== addressOf(this.view));
    /** @type {Partial<View>} */
    const changes = Object.assign({}, ...(isAll ? set : set.slice(-1)));
    return set.length ? changes : null;
  }

  /** Return whether a search or a brush continues, so that it stays one step of Back. */
  goesOn(/** @type {Partial<View>} */ changes) {
    const names = /** @type {(keyof View)[]} */ (Object.keys(changes));
    return names.some((name) => this.view[name] !== NO_VIEW[name]);
  }

  /** Return the numbers of the rows of the tree that match the filters. */
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

  /** Return whether a name in an address belongs to this result. */
  isOpen(/** @type {string} */ name) {
    return this.result !== null && [this.result.run, this.view.documents].includes(name);
  }
}
