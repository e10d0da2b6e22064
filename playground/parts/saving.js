// What visitors take from the page: texts that they copy, and files that they save.

import { around, newButton, newElement } from "./elements.js";

const SAID = 3000; // milliseconds for which a button says that a text was copied

/** Copy a text; the button says so, or that a frame does not let the page copy. */
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

/** From now on, a button beside a block of code copies it. */
export const startCopying = () => {
  document.addEventListener("click", (event) => {
    const button = around(event, "[data-copy]");
    if (button) copyText(button, button.parentElement?.nextElementSibling?.textContent ?? "");
  });
};

/** Save a JSON text, or one of lines of JSON, as a file. */
export const saveFile = (/** @type {string} */ name, /** @type {string} */ text) => {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: "application/json" }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
};

/** Buttons of a menu that save the schema in use, and that by which the score is higher. */
export const schemaButtons = (/** @type {string} */ used, /** @type {Server.WhatIf[]} */ whatIfs) => {
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
