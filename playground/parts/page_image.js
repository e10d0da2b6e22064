// The image of a document's page: what its row holds, or a file of the visitor, which stays in the browser.

import { newButton, newElement } from "./elements.js";
import { stemOf } from "./words.js";

export const IMAGE_TYPES = "image/png,image/jpeg,image/gif,image/webp"; // which a browser shows

export class PageImage {
  /**
   * @param {HTMLElement} figure
   * @param {(files: File[]) => void} added  is told of images that the visitor added
   */
  constructor(figure, added) {
    this.figure = figure;
    this.added = added;
    /** @type {Map<string, File>} */
    this.files = new Map(); // by the stems of their names
  }

  /** The file of the visitor for a document, by the image that its row names, or by its own name. */
  fileOf(/** @type {string} */ name, /** @type {string} */ named) {
    return this.files.get(stemOf(named)) ?? this.files.get(stemOf(name));
  }

  hide() {
    const old = this.figure.querySelector("img");
    if (old?.src.startsWith("blob:")) URL.revokeObjectURL(old.src);
    this.figure.replaceChildren();
  }

  /** Show the image of a document: its name, the image that its row names, and the image that it holds. */
  show(/** @type {string} */ name, /** @type {string} */ named, /** @type {string} */ held) {
    const file = this.fileOf(name, named);
    this.hide();
    if (file || held) {
      const image = newElement("img", "");
      image.alt = `Page of ${name}`;
      image.src = file ? URL.createObjectURL(file) : held;
      this.figure.append(image);
      return;
    }
    const said = named
      ? [
          ["", "The file refers to this image:"],
          ["mono", named],
          ["soft", "Addresses in files are never loaded."],
        ]
      : [["", "This document has no image."]];
    const input = Object.assign(newElement("input", ""), {
      type: "file",
      accept: IMAGE_TYPES,
      multiple: true,
      hidden: true,
    });
    input.addEventListener("change", () =>
      this.add([...(input.files ?? [])].filter((each) => IMAGE_TYPES.split(",").includes(each.type))),
    );
    this.figure.append(
      ...said.map(([look, text]) => newElement("p", look, text)),
      newButton("btn", "Add page images", () => input.click()),
      input,
      newElement("p", "soft", "Images are matched to documents by name, and stay in your browser."),
    );
  }

  add(/** @type {File[]} */ images) {
    for (const file of images) this.files.set(stemOf(file.name), file);
    this.added(images);
  }
}
