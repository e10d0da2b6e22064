// The documents that a visitor adds: images of pages, and texts with or without word positions. Images stay in the
// browser.

import { newElement, newIcon } from "./elements.js";
import { readHocr } from "./hocr.js";
import { keepFiles, keepSetOf, setOf } from "./kept_files.js";
import { imagesOf } from "./marks.js";
import { counted, stemOf } from "./words.js";

/** @import { PlacedText } from "./marks.js" */
/**
 * @typedef {object} Page  a page; its width is 0 if it cannot be shown
 * @property {string} name
 * @property {number} width
 * @property {number} height
 * @property {string} url  "" until it is loaded
 * @property {() => Promise<void>} [load]  renders the page; an error says why it could not
 */
/**
 * @typedef {object} LoadedDocument
 * @property {(Page | null)[]} pages  null for pages without an image
 * @property {PlacedText | null} placed  the text of the document
 * @property {string} unread  the name of a file that is gone, or ""
 * @property {Fault} [fault]  why there is no page
 */
/** @typedef {[title: string, detail: string, button: string]} Fault */

export const IMAGE_TYPES = "image/png,image/jpeg,image/gif,image/webp"; // types that browsers show
const DOCUMENT_TYPES = `${IMAGE_TYPES},.txt,.hocr,.pdf`;

/**
 * Return a hidden input for the files of documents.
 * @type {(take: (files: File[]) => void) => HTMLInputElement}
 */
export const newDocumentInput = (take) => {
  const input = newElement("input", "");
  Object.assign(input, { type: "file", accept: DOCUMENT_TYPES, multiple: true, hidden: true });
  input.addEventListener("change", () => {
    const files = [...(input.files ?? [])];
    input.value = ""; // so that the same file can be chosen again
    take(files);
  });
  return input;
};

/** Return the number of document files, in words. @type {(images: number, pdfs: number, texts: number) => string} */
export const filesInWords = (images, pdfs, texts) =>
  [images ? counted(images, "page image") : "", pdfs ? counted(pdfs, "PDF") : "", texts ? counted(texts, "text") : ""]
    .filter(Boolean)
    .join(", ");

/** Return how many documents have a file, in words. @type {(count: number, all: number) => string} */
export const matchedInWords = (count, all) => ` · files for ${count} of ${counted(all, "document")}`;

/** Return the sign at the name of a document that has a file. */
export const newDocumentSign = () => {
  const sign = newElement("span", "has-document", newIcon("M4 1.75h5L12.25 5v9.25H4zM9 1.75V5h3.25"));
  sign.title = "This document has a file.";
  sign.setAttribute("role", "img");
  sign.setAttribute("aria-label", "with its document");
  return sign;
};

/** @type {LoadedDocument} */
export const NO_DOCUMENT = { pages: [], placed: null, unread: "" };

const LONGEST_TEXT = 200_000; // characters; values are not looked up in longer texts

/** Return the text of a document in which to look up values, "" if there is none or it is too long. */
export const textOf = (/** @type {LoadedDocument} */ { placed }) =>
  placed && placed.text.length < LONGEST_TEXT ? placed.text : "";

const isText = (/** @type {File} */ file) => /\.(txt|hocr)$/i.test(file.name);
const isHocr = (/** @type {File} */ file) => /\.hocr$/i.test(file.name);

const readText = async (/** @type {File} */ file) => {
  const text = await file.text();
  return isHocr(file) ? readHocr(text) : { text, words: [], images: [] };
};

/** @type {(url: string, name: string) => Promise<Page>} */
const pageAt = async (url, name) => {
  const image = new Image();
  await new Promise((done) => {
    image.onload = image.onerror = done;
    image.src = url;
  });
  return { url, name, width: image.naturalWidth, height: image.naturalHeight };
};

/** Return an image file or address as a page. @type {(file: File | string | undefined) => Promise<Page | null>} */
const pageOf = async (file) => {
  if (!file) return null;
  if (typeof file === "string") return pageAt(file, file);
  return pageAt(URL.createObjectURL(file), file.name);
};

const release = (/** @type {LoadedDocument} */ { pages }) => {
  for (const page of pages) if (page?.url.startsWith("blob:")) URL.revokeObjectURL(page.url);
};

export class DocumentFiles {
  /** @param {((file: File) => Promise<LoadedDocument>) | null} readPdf  null if PDFs are not accepted */
  constructor(readPdf = null) {
    this.readPdf = readPdf;
    /** @type {Map<string, File>} by the stems of their names */
    this.pdfs = new Map();
    /** @type {Map<string, File | string>} by the stems of their names */
    this.images = new Map();
    /** @type {Map<string, File>} by the ids of documents */
    this.texts = new Map();
    this.set = ""; // the name under which this browser keeps these files
    this.key = ""; // the key of the document whose files are loaded
    this.failed = ""; // the key of a document that could not be loaded
    /** @type {Promise<LoadedDocument>} */
    this.loaded = Promise.resolve(NO_DOCUMENT);
  }

  get isEmpty() {
    return !this.images.size && !this.texts.size && !this.pdfs.size;
  }

  /** Keep images and texts, and return the other files. */
  take(/** @type {File[]} */ files) {
    return files.filter((file) => {
      const id = file.name.replace(/\.[^.]*$/, "");
      const old = this.texts.get(id);
      if (IMAGE_TYPES.split(",").includes(file.type)) this.images.set(stemOf(file.name), file);
      else if (this.readPdf && /\.pdf$/i.test(file.name)) this.pdfs.set(stemOf(file.name), file);
      else if (!isText(file)) return true;
      else if (!old || isHocr(file) || !isHocr(old)) this.texts.set(id, file);
      this.set = "";
      this.forget();
      return false;
    });
  }

  /**
   * Keep the files with a result. Without files, take the files that were kept with it; return whether there are any.
   * Load a document again that could not be loaded, perhaps because the previous result was gone.
   */
  async join(/** @type {string} */ run) {
    if (this.failed === this.key) this.forget();
    if (this.isEmpty) {
      const { set = "", files } = (await setOf(run)) ?? {};
      if (!files || !this.isEmpty) return false;
      Object.assign(this, files, { set });
      this.forget();
      return true;
    }
    if (!this.set) {
      this.set = `set ${Date.now()} ${Math.random()}`;
      const { images, pdfs, texts } = this;
      await keepFiles(this.set, { images, pdfs, texts });
    }
    await keepSetOf(run, this.set);
    return false;
  }

  /** Take images that this server has. */
  offer(/** @type {Server.Upload[]} */ images) {
    for (const { name, path } of images) this.images.set(stemOf(name), `gradio_api/file=${encodeURI(path)}`);
  }

  /** Return the texts by document as a file for the server; null if there are none. */
  async textFile() {
    if (!this.texts.size) return null;
    /** @type {Record<string, string>} */
    const found = {};
    for (const [id, file] of this.texts) found[id] = (await readText(file)).text;
    return new File([JSON.stringify(found)], "texts.json", { type: "application/json" });
  }

  /** Return whether there is a file for a document, or for the image that its row names. */
  has(/** @type {string} */ name, named = "") {
    return (
      this.texts.has(name) ||
      this.pdfs.has(stemOf(name)) ||
      imagesOf(name, named ? [named] : [], this.images).some(Boolean)
    );
  }

  /** Release the loaded document, so that it is read again when it is needed. */
  forget() {
    this.loaded.then(release);
    [this.key, this.loaded] = ["", Promise.resolve(NO_DOCUMENT)];
  }

  /** @type {(name: string, named: string, held: string) => Promise<LoadedDocument>} */
  async read(name, named, held) {
    const pdf = this.pdfs.get(stemOf(name));
    if (pdf && this.readPdf) return this.readPdf(pdf);
    const file = this.texts.get(name);
    const placed = file ? await readText(file).catch(() => null) : null;
    const images = imagesOf(name, named ? [named] : (placed?.images ?? []), this.images);
    const pages = await Promise.all((images.some(Boolean) || !held ? images : [held]).map(pageOf));
    return { pages, placed, unread: file && !placed ? file.name : "" };
  }

  /**
   * Return the pages and the text of a document, which are read once while the document is shown.
   * @param {string} name
   * @param {string} named  the image that its row names
   * @param {string} held  the image that its row contains
   */
  open(name, named = "", held = "") {
    const key = JSON.stringify([name, named, held]);
    if (this.key === key) return this.loaded;
    this.forget();
    [this.key, this.loaded] = [key, this.read(name, named, held)];
    this.loaded.then(({ fault }) => {
      if (fault) this.failed = key;
    });
    return this.loaded;
  }
}
