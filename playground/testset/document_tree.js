// The chosen document of a test set: its name and its tree, with the rows that match the filters, and signs of regions.

import { around, cutName, findElement, findElements, newButton, newElement } from "../parts/elements.js";
import { drawLists } from "../parts/long_lists.js";
import { knownInTree } from "../parts/scene.js";
import { newTreePane } from "../parts/tree.js";
import { drawSigns, numberOfRow } from "../parts/tree_places.js";
import { counted, sentenceOf } from "../parts/words.js";

/** @import { Documents } from "./documents.js" */

const OF_ONE = ["image", "pair", "previous", "next"]; // buttons that need a chosen document

export class DocumentTree {
  constructor(/** @type {Documents} */ page) {
    this.page = page;
    this.state = page.state;
    this.part = page.part;
    this.element = this.part("tree");
    this.pane = newTreePane(this.element, "testset");
    this.isMoved = false; // the page moves the focus, not the visitor
    for (const kind of ["click", "focusin"]) this.element.addEventListener(kind, (event) => this.press(event));
  }

  /** Choose the row that a visitor pressed or moved to. On a phone a pressed row opens the document. */
  press(/** @type {Event} */ event) {
    const row = around(event, ".anls-row[id]");
    if (row === null || this.isMoved) return;
    const number = numberOfRow(row);
    if (number !== this.state.view.row) {
      this.state.change({ row: number });
      this.pane.look(row);
      this.page.write();
      this.page.beside.drawScene();
    }
    if (event.type === "click" && this.page.narrow.matches && this.state.places.length) this.page.beside.toggle(true);
  }

  /** Choose the row of a box that was pressed, and bring it into view. */
  choose(/** @type {number} */ number) {
    if (!this.rowOf(number)) return;
    this.state.change({ row: number });
    this.draw();
    this.page.write();
    this.page.beside.drawScene();
  }

  rowOf(/** @type {number | null} */ number) {
    return number === null ? null : document.getElementById(`document-${number}`);
  }

  /** The chosen row; null if there is none. */
  get row() {
    return this.rowOf(this.state.view.row);
  }

  /** Render an answer; the focus stays in the tree. */
  show(/** @type {Server.Document | Server.Refusal | null} */ found) {
    const hadFocus = this.element.contains(document.activeElement);
    if (found && "refused" in found) this.element.replaceChildren(newElement("p", "soft", sentenceOf(found.refused)));
    else this.element.innerHTML = found?.html ?? ""; // from the server's templates, which escape every value
    this.element.scrollTop = 0;
    const name = this.state.ofChosen("names") || (this.state.all ? "No document" : "");
    this.part("name").replaceChildren(...cutName(name));
    this.part("of").textContent = this.state.ofChosen("scores");
    this.part("points").textContent = this.element.querySelector(".anls-detail")?.textContent.split(";")[0] ?? "";
    this.wait(false);
    for (const each of OF_ONE) {
      this.part(each, HTMLButtonElement).disabled = !this.state.all || this.state.view.document === null;
    }
    this.drawSigns();
    this.drawLists();
    this.pane.fresh();
    this.isMoved = true;
    if (hadFocus) this.pane.stop()?.focus({ preventScroll: true });
    this.isMoved = false;
  }

  /** Show that the tree is not the one of the chosen document, or that it is again. */
  wait(/** @type {boolean} */ isWaiting) {
    this.part("document").toggleAttribute("data-stale", isWaiting);
  }

  scrollTo(/** @type {HTMLElement} */ row) {
    const pane = findElement(this.element, ".anls-grid");
    const box = row.getBoundingClientRect();
    const frame = pane.getBoundingClientRect();
    if (!this.page.narrow.matches && (box.top < frame.top + 30 || box.bottom > frame.bottom)) {
      pane.scrollTop += box.top - frame.top - frame.height / 3;
    }
  }

  /** Mark the rows of the tree that match the filters, open the folds around them, and go to the row of the view. */
  draw() {
    for (const row of this.element.querySelectorAll(".hit")) row.classList.remove("hit");
    for (const old of this.element.querySelectorAll(".rest")) old.remove();
    const { folds } = this.state;
    this.element.classList.toggle("only-hits", folds);
    if (!this.state.answer) return;
    const marked = this.state
      .hits()
      .map((row) => this.rowOf(row))
      .filter((row) => row !== null);
    this.chooseFirst(marked);
    const { row: here } = this;
    for (const row of marked) row.classList.add("hit");
    this.pane.look(here);
    for (const row of [...marked, here]) {
      for (let above = row?.parentElement; above && above !== this.element; above = above.parentElement) {
        if (above instanceof HTMLDetailsElement) above.open = true;
      }
    }
    const first = here ?? marked[0];
    if (folds) this.foldRest();
    if (first) this.scrollTo(first);
  }

  /** If no row is chosen, choose the first of the share, or the row that lost most if the document is open. */
  chooseFirst(/** @type {HTMLElement[]} */ marked) {
    const { share, row } = this.state.view;
    if (row !== null || !(share || this.page.beside.isOpen)) return;
    const first = share ? marked[0] : this.pane.losses(marked.length ? marked : undefined)[0];
    if (!first) return;
    this.state.change({ row: numberOfRow(first) });
    this.page.write();
  }

  /** Add a line that shows the values outside the share, until another share or document is chosen. */
  foldRest() {
    const [head] = findElements(this.element, ".anls-header");
    const count = findElements(this.element, "div.anls-row[data-path]:not(.hit)").length;
    if (!head || !count) return;
    const button = newButton("rest", `▸ ${counted(count, "other value")}`, () => {
      this.state.unfold();
      this.element.classList.remove("only-hits");
      button.remove();
      this.pane.stop()?.focus();
    });
    head.after(button);
  }

  drawSigns() {
    const { places, level, pageCount, loaded } = this.state;
    drawSigns(this.element, places, level, { ...knownInTree(loaded), pages: pageCount });
  }

  /** Draw the long lists above the rows, and a line among the rows where a list was cut off. */
  drawLists() {
    const lists = this.state.answer?.lists ?? [];
    const [grid] = findElements(this.element, ".anls-grid");
    grid?.before(...drawLists(lists, (row) => this.choose(row)));
    for (const { cut, numbers } of lists) {
      const first = cut ? this.rowOf(numbers[cut] ?? -1) : null;
      const fold = first?.closest("details")?.parentElement?.closest("details[data-status=missing]");
      const place = fold ?? first?.closest("details") ?? first;
      place?.before(newElement("p", "cut-here", newElement("b", "", "Cut off here")));
    }
  }
}
