// Decides places and undoes decisions: each change of verdicts is kept and scored, and the next open place is shown.

import { counted } from "../parts/words.js";
import { decisionsOf } from "./given.js";
import { placeName, verdictWords } from "./places.js";

/** @import { Decision } from "./places.js" */
/** @import { ReviewTab } from "./review.js" */
/** @typedef {"notice" | "say" | "toast" | "hideToast" | "visit" | "drawItem" | "finish"} Acts */

export class Deciding {
  constructor(/** @type {Pick<ReviewTab, "state" | "keeper" | "scoring" | "list" | "head" | Acts>} */ page) {
    this.page = page;
    this.frame = 0; // the animation frame that draws the header
  }

  /** Keep and score changed verdicts on places; the worklist is redrawn with the next place. */
  changed(/** @type {number[]} */ numbers) {
    this.page.keeper.keep(numbers);
    this.page.scoring.soon();
    if (this.frame) return;
    this.frame = requestAnimationFrame(() => {
      this.frame = 0;
      this.page.head.draw();
    });
  }

  undo() {
    const { page } = this;
    const numbers = page.state.worklist.undo();
    if (!numbers.length) return;
    this.changed(numbers);
    page.hideToast();
    page.say(`Undone: ${counted(numbers.length, "value")}.`);
    page.visit(numbers[0]);
  }

  /** Decide the current place and all other places in the reach of the verdict. */
  decide(/** @type {Decision} */ decision) {
    const { page } = this;
    const { worklist } = page.state;
    const { place, current } = worklist;
    if (!place) return;
    const verdicts = worklist.verdictsOf(decision, worklist.reach);
    const words = verdictWords(place, decision.verdict);
    this.changed(worklist.apply(verdicts));
    const size = worklist.verdicts.sizeOf(verdicts);
    if (worklist.more(current) && worklist.isRowOpen(current)) {
      worklist.unfold(current); // the other places are decided one by one
      page.list.redraw();
    }
    if (size > 1) page.toast(`${size.toLocaleString("en")} values: ${words}.`);
    else {
      page.hideToast();
      page.say(worklist.isBlind ? "Decided." : `${placeName(place)}: ${words}.`);
    }
    this.goOn(current);
  }

  /** Show the next open place after a place, else the summary. */
  goOn(/** @type {number} */ number) {
    const { page } = this;
    const { worklist } = page.state;
    const open = worklist.next(number);
    if (open !== null) {
      page.visit(open);
      return;
    }
    page.list.mark();
    if (worklist.find.trim()) {
      page.drawItem();
      page.toast("All places that were found are decided.");
    } else page.finish();
  }

  /** Take the verdicts of a file for open places, and report how many were carried over. */
  takeOver(/** @type {Server.DecidedBefore} */ { verdicts, note }) {
    const { page } = this;
    const { worklist } = page.state;
    const open = decisionsOf(verdicts).filter(([number]) => !worklist.verdicts.at(number));
    this.changed(worklist.apply(worklist.verdicts.folded(open)));
    const decided = verdicts.length - open.length;
    const said = decided ? `${note} ${counted(decided, "place was", "places were")} decided here already.` : note;
    if (decided || note.includes(";")) page.notice(said, "", [["Close", () => page.notice("")]]);
    else page.toast(said);
  }
}
