// What is given to a review beside the files that are compared: pages, texts, and verdicts.

import { filesInWords } from "../parts/document_files.js";

/** @import { Verdict } from "./verdicts.js" */

/** Whether a file holds verdicts. */
export const isReview = async (/** @type {Pick<File, "name" | "slice">} */ file) => {
  if (!/\.jsonl$/i.test(file.name)) return false;
  try {
    const line = JSON.parse((await file.slice(0, 100_000).text()).split("\n")[0]);
    return typeof line === "object" && "judged" in line && "verdict" in line;
  } catch {
    return false;
  }
};

/** How many texts are among files of documents, and all of them in words. */
export const countFiles = (/** @type {Pick<File, "name" | "type">[]} */ files) => {
  const pdfs = files.filter(({ name }) => /\.pdf$/i.test(name)).length;
  const images = files.filter(({ type }) => type.startsWith("image/")).length;
  const texts = files.length - pdfs - images;
  return { texts, words: filesInWords(images, pdfs, texts) };
};

/** Verdicts that the server shows, on their places. @type {(shown: Server.ShownVerdict[]) => Verdict[]} */
export const decisionsOf = (shown) => shown.map(({ number, ...decision }) => [number, decision]);
