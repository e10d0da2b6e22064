// Files that a review gets in addition to the compared files: pages, texts, and verdicts.

import { filesInWords } from "../parts/document_files.js";
import { uploaded } from "../parts/uploads.js";
import { printable, sentenceOf } from "../parts/words.js";

/** @import { ReviewTab } from "./review.js" */
/** @import { Verdict } from "./verdicts.js" */
/** @typedef {"part" | "state" | "pane" | "readers" | "notice" | "toast" | "run" | "drawItem"} Parts */

/** Return whether a file contains verdicts. */
export const isReview = async (/** @type {Pick<File, "name" | "slice">} */ file) => {
  if (!/\.jsonl$/i.test(file.name)) return false;
  try {
    const line = JSON.parse((await file.slice(0, 100_000).text()).split("\n")[0]);
    return typeof line === "object" && "judged" in line && "verdict" in line;
  } catch {
    return false;
  }
};

/** Count the texts among files of documents, and describe all files in words. */
export const countFiles = (/** @type {Pick<File, "name" | "type">[]} */ files) => {
  const pdfs = files.filter(({ name }) => /\.pdf$/i.test(name)).length;
  const images = files.filter(({ type }) => type.startsWith("image/")).length;
  const texts = files.length - pdfs - images;
  return { texts, words: filesInWords(images, pdfs, texts) };
};

/** Return the verdicts that the server shows, with their places. @type {(shown: Server.ShownVerdict[]) => Verdict[]} */
export const decisionsOf = (shown) => shown.map(({ number, ...decision }) => [number, decision]);

/**
 * Take page images, texts and verdicts among the given files; the drop box takes the others.
 * @type {(page: Pick<ReviewTab, Parts>, given: File[]) => Promise<File[]>}
 */
export const siftGiven = async (page, given) => {
  const { state } = page;
  const others = page.pane.files.take(given);
  const taken = countFiles(given.filter((file) => !others.includes(file)));
  const sorted = await Promise.all(others.map(async (file) => ({ file, isReview: await isReview(file) })));
  const found = sorted.find((each) => each.isReview)?.file;
  // a visitor with verdicts can compare the verdicts of another reader
  const isAsked = found && state.result && state.worklist.decisions.size > 0;
  const verdicts = isAsked ? undefined : found;
  const said = taken.words ? [`Added: ${taken.words}.`] : [];
  if (verdicts) said.push(`${printable(verdicts.name)}: its verdicts are taken over.`);
  try {
    const file = taken.texts ? await page.pane.files.textFile() : null;
    if (file) state.add({ texts: await uploaded(file) });
    if (verdicts) state.add({ verdicts: await uploaded(verdicts) });
    if (said.length && state.result) page.toast(said.join(" "), false);
    else if (said.length) page.part("also").textContent = said.join(" ");
  } catch (error) {
    const fault = sentenceOf(error instanceof Error ? error.message : String(error));
    if (state.result) page.notice(fault, "", [["Close", () => page.notice("")]]);
    else page.part("also").textContent = fault;
  }
  if (isAsked) page.readers.offer(found);
  if (state.result) {
    page.pane.join();
    if (taken.texts || verdicts) page.run();
    else page.drawItem();
  }
  return sorted.filter((each) => !each.isReview).map(({ file }) => file);
};
