// Verdicts of a file for a review that already has some: take them over, or compare them as a second reader's verdicts.

import { answerTo } from "../parts/asking.js";
import { uploaded } from "../parts/uploads.js";
import { printable, sentenceOf } from "../parts/words.js";
import { decisionsOf } from "./given.js";

/** @import { Act } from "../parts/file_tab.js" */
/** @import { ReviewTab } from "./review.js" */

export class Readers {
  constructor(/** @type {Pick<ReviewTab, "server" | "state" | "notice" | "drawAll" | "look" | "run">} */ page) {
    this.page = page;
    /** @type {Act} */
    this.close = ["Close", () => page.notice("")];
  }

  /** Ask the visitor what to do with the verdicts of a file. */
  offer(/** @type {File} */ file) {
    this.page.notice(`${printable(file.name)} holds verdicts.`, "Yours stay in either case.", [
      ["Take them over at open places", () => this.takeOver(file)],
      ["Compare them with mine", () => this.compare(file)],
      this.close,
    ]);
  }

  async takeOver(/** @type {File} */ file) {
    const { page } = this;
    page.notice("");
    try {
      page.state.add({ verdicts: await uploaded(file) });
      page.run();
    } catch (error) {
      this.refuse(file, "taken over", error);
    }
  }

  refuse(/** @type {File} */ file, /** @type {string} */ what, /** @type {unknown} */ error) {
    const why = sentenceOf(error instanceof Error ? error.message : String(error));
    this.page.notice(`${printable(file.name)} was not ${what}.`, why, [this.close]);
  }

  /** Show the agreement with the verdicts here, and list the places where they differ. */
  async compare(/** @type {File} */ file) {
    const { page } = this;
    const { worklist } = page.state;
    if (!worklist.result) return;
    const { run } = worklist.result;
    page.notice("Comparing …");
    try {
      const other = await uploaded(file);
      const found = await answerTo(page.server.compare_readers, { run, verdicts: worklist.asText(), other });
      if ("refused" in found) {
        this.refuse(file, "compared", found.refused);
        return;
      }
      worklist.second = new Map(decisionsOf(found.differing));
      page.drawAll();
      const [title, ...detail] = found.text.split(/(?<=\.) /);
      const { size } = worklist.second;
      const words = size === 1 ? "Look at the place" : `Look at the ${size.toLocaleString("en")} places`;
      page.notice(title, detail.join(" "), size ? [page.look(words, "readers"), this.close] : [this.close]);
    } catch (error) {
      this.refuse(file, "compared", error);
    }
  }
}
