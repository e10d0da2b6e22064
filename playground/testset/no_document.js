// What stands in place of a document that was not added, with a button that adds it.

import { DOCUMENT_TYPES } from "../parts/document_files.js";
import { newButton, newElement } from "../parts/elements.js";

/** @type {(named: string, isCited: boolean, add: (files: File[]) => void) => HTMLElement[]} */
export const noDocument = (named, isCited, add) => {
  const input = newElement("input", "");
  Object.assign(input, { type: "file", accept: DOCUMENT_TYPES, multiple: true, hidden: true });
  input.addEventListener("change", () => add([...(input.files ?? [])]));
  const said = named
    ? [
        newElement("p", "", "The file refers to this image:"),
        newElement("p", "mono", named),
        newElement("p", "soft", "Addresses in files are never loaded."),
      ]
    : [
        newElement("p", "t15", "No document is added"),
        ...(isCited ? [newElement("p", "soft", "Citations are scored without it.")] : []),
      ];
  return [
    ...said,
    newElement(
      "div",
      "acts",
      newButton("btn main", "Add documents", () => input.click()),
    ),
    input,
    newElement("p", "soft t12", "Images and texts are matched to rows by name. Images stay in this browser."),
  ];
};
