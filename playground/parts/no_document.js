// The notice instead of a missing document, with a button that adds one.

import { newDocumentInput } from "./document_files.js";
import { newButton, newElement } from "./elements.js";

/** @import { Fault } from "./document_files.js" */

const MATCHED = "Files are matched to rows by name. ";

/**
 * @param {string} named  the image that the row names
 * @param {boolean} isCited
 * @param {Fault | undefined} fault
 * @param {(files: File[]) => void} add
 */
export const noDocument = (named, isCited, fault, add, matched = MATCHED) => {
  const input = newDocumentInput(add);
  const [title, detail, button] = fault ?? [
    "No document is added",
    isCited ? "Citations are scored without it." : "",
    "Add documents",
  ];
  const said =
    named && !fault
      ? [
          newElement("p", "", "The file refers to this image:"),
          newElement("p", "mono", named),
          newElement("p", "soft", "Addresses in files are never loaded."),
        ]
      : [newElement("p", "t15", title), ...(detail ? [newElement("p", "soft", detail)] : [])];
  return [
    ...said,
    newElement(
      "div",
      "acts",
      newButton("btn main", button, () => input.click()),
    ),
    input,
    newElement("p", "soft t12", `${matched}Images stay in this browser; a PDF goes no further than this machine.`),
  ];
};
