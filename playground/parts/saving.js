// Copying of texts and saving of files.

import { around, newButton, newElement } from "./elements.js";

const SAID = 3000; // milliseconds; how long a button reports that a text was copied

/** Copy a text; the button reports success, or that a frame does not let the page copy. */
export const copyText = async (/** @type {HTMLElement} */ button, /** @type {string} */ text) => {
  try {
    await navigator.clipboard.writeText(text);
    button.textContent = "Copied";
  } catch {
    button.textContent = "Copying is blocked";
  }
  setTimeout(() => {
    button.textContent = "Copy";
  }, SAID);
};

/** Let the buttons next to blocks of code copy them. */
export const startCopying = () => {
  document.addEventListener("click", (event) => {
    const button = around(event, "[data-copy]");
    if (button) copyText(button, button.parentElement?.nextElementSibling?.textContent ?? "");
  });
};

/** Save a JSON or JSONL text as a file. */
export const saveFile = (/** @type {string} */ name, /** @type {string} */ text) => {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: "application/json" }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
};

/** Return menu items that save the schema in use, and the suggested schema that scores higher. */
export const schemaButtons = (/** @type {string} */ used, /** @type {Server.Remedy[]} */ whatIfs) => {
  const suggested = whatIfs.map(({ options }) => options.what_if?.schema).find(Boolean);
  return Object.entries({ "Schema in use as JSON": used, "Suggested schema as JSON": suggested ?? "" })
    .filter(([, text]) => text)
    .map(([words, text]) =>
      newElement(
        "li",
        "",
        newButton("", words, () => saveFile("schema.json", text)),
      ),
    );
};
