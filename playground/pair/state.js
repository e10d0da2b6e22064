// The state of the tab for one pair: its score, the chosen row, and the document next to it.

export class PairState {
  constructor(/** @type {string[]} */ example) {
    this.example = example.join("\n"); // the text of the example's document
    this.seg = "3"; // the pane that a phone shows
    this.isNew = true; // nothing was typed since the pair was opened
    this.isOld = false; // the shown score is the one of an earlier text
    /** @type {Server.PairAnswer | null} the last answer without an error */
    this.found = null;
    this.row = ""; // the id of the chosen row of the tree
    /** @type {string | undefined} the path of the chosen row, by which it stays chosen in the tree of another answer */
    this.path = undefined;
    /** @type {Server.Reading} */
    this.content = {}; // reading options that take content out of values
    /** @type {Server.Changes} the options that score higher */
    this.better = {};
    /** @type {(() => void) | null} the action of the notice's button */
    this.act = null;
    this.isExample = true; // the texts come from the first example, possibly edited
    this.text = this.example; // of the document, in which values are looked up
    this.isOpen = false; // the document is shown
    this.isKeptClosed = false; // the visitor closed the document
  }

  /** The regions where the values of the tree are expected, cited and found. */
  get places() {
    return this.found?.places ?? [];
  }

  /** Whether the tree has a column for regions. */
  get hasPlaces() {
    return this.places.some(({ levels, cited, found: [, spots] }) => levels || cited.length || spots?.length);
  }

  /** The content that is taken out of values, in words. */
  get taken() {
    return (this.found?.taken ?? []).filter(({ name }) => this.content[name]);
  }

  /** Choose a row of the tree, or none. */
  choose(row = "", /** @type {string | undefined} */ path = undefined) {
    [this.row, this.path] = [row, path];
  }

  /** Begin with another pair. The document of the example opens if the window is wide. */
  begin(/** @type {boolean} */ isExample, /** @type {boolean} */ isWide) {
    this.choose();
    this.isNew = true;
    this.takeExample(isExample, isWide);
  }

  /** Take the document of the example, or none. */
  takeExample(/** @type {boolean} */ isExample, isWide = false) {
    [this.isExample, this.text] = [isExample, isExample ? this.example : ""];
    this.isOpen = isExample && isWide && !this.isKeptClosed;
  }
}
