// Files that a review gets in addition to the compared files: pages, texts, and verdicts.

import { filesInWords } from "../parts/document_files.js";

/** @import { Verdict } from "./verdicts.js" */

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
