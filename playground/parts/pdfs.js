// PDFs that a server on this machine reads: their words as text, and their pages as images, rendered once visible.

import { answerTo } from "./asking.js";
import { askAgain, uploaded } from "./uploads.js";
import { sentenceOf } from "./words.js";

/** @import { Fault, LoadedDocument, Page } from "./document_files.js" */
/** @import { PlacedText } from "./marks.js" */

const LOCAL = ["localhost", "127.0.0.1", "[::1]"];

/** @type {Fault} */
const HOSTED = [
  "PDFs are not accepted here",
  "This page runs on another machine, and documents stay on yours. Start it yourself to add them: python app.py",
  "Add images of the pages",
];

/**
 * Return the words of pages as a text with boxes; words at the same height form a line.
 * @type {(pages: Server.Pdf["words"]) => PlacedText | null}
 */
export const textOfWords = (pages) => {
  let text = "";
  /** @type {PlacedText["words"]} */
  const words = [];
  for (const [page, ofPage] of pages.entries()) {
    if (page) text += "\n\f";
    let bottom = Infinity;
    let isFirst = true;
    for (const [word, box] of ofPage) {
      const middle = (box[1] + box[3]) / 2;
      const isLower = middle > bottom || middle < bottom - 2 * (box[3] - box[1]);
      if (!isFirst) text += isLower ? "\n" : " ";
      if (isFirst || isLower) bottom = box[3];
      isFirst = false;
      words.push({ start: text.length, end: text.length + word.length, page, box });
      text += word;
    }
  }
  return words.length ? { text, words, images: [] } : null;
};

/** Return the notice about a refused PDF. @type {(name: string, found: Server.Refusal) => Fault} */
export const faultOf = (name, { refused, kind }) => {
  if (kind === "limit") return HOSTED;
  if (/is encrypted/.test(refused)) {
    return [`${name} has a password`, "Save it without one, or add images of its pages.", "Choose another file"];
  }
  if (/cannot be read/.test(refused)) {
    const detail = "It is not a PDF, or it is damaged. The scores do not need it.";
    return [`${name} cannot be read`, detail, "Choose another file"];
  }
  return [`${name} is not shown`, sentenceOf(refused), "Choose another file"];
};

/** @type {WeakMap<File, string>} the names of files on the server */
const sent = new WeakMap();

/**
 * Return a function that does not ask again while a request is under way.
 * @type {(ask: () => Promise<void>) => () => Promise<void>}
 */
const once = (ask) => {
  /** @type {Promise<void> | null} */
  let asked = null;
  return () =>
    (asked ??= ask().finally(() => {
      asked = null;
    }));
};

/**
 * Load the PDF of a document. It is uploaded only if the server runs on this machine.
 * @param {Server.Functions} server
 * @param {() => string} runOf  returns the result to which the pages belong; scoring again changes it
 * @param {File} file
 * @returns {Promise<LoadedDocument>}
 */
export const openPdf = async (server, runOf, file) => {
  const read = askAgain(server.read_pdf);
  const none = (/** @type {Fault} */ fault) => ({ pages: [], placed: null, unread: "", fault });
  if (!LOCAL.includes(location.hostname)) return none(HOSTED);
  let found = await answerTo(read, { run: runOf() });
  if ("refused" in found) return none(faultOf(file.name, found));
  try {
    const pdf = sent.get(file) ?? (await uploaded(file));
    sent.set(file, pdf);
    found = await answerTo(read, { run: runOf(), pdf });
  } catch (error) {
    const said = error instanceof Error ? error.message : String(error);
    return none([`${file.name} is not shown`, sentenceOf(said), "Choose another file"]);
  }
  if ("refused" in found) {
    sent.delete(file);
    return none(faultOf(file.name, found));
  }
  let before = Promise.resolve(); // the server renders one page at a time
  const pages = found.sizes.map(([width, height], at) => {
    /** @type {Page} */
    const page = { name: file.name, url: "", width, height };
    const draw = async () => {
      const drawn = await answerTo(read, { run: runOf(), pdf: sent.get(file), page: at + 1 });
      if ("refused" in drawn) throw new Error(drawn.refused);
      page.url = `gradio_api/file=${encodeURI(drawn.path)}`;
    };
    page.load = once(() => (before = before.then(draw, draw)));
    return page;
  });
  return { pages, placed: textOfWords(found.words), unread: "" };
};
