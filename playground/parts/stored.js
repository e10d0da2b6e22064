// What this browser keeps in its storage, which a frame may not have, and which can be full.

/** @typedef {"localStorage" | "sessionStorage"} Storage  for all visits, or for this browser tab */

/** Return the JSON value that is kept under a name, null if there is none. @type {(where: Storage, name: string) => any} */
export const stored = (where, name) => {
  try {
    return JSON.parse(window[where].getItem(name) ?? "null");
  } catch {
    return null;
  }
};

/** Keep a JSON value under a name, if the browser lets the page. @type {(where: Storage, name: string, value: unknown) => void} */
export const store = (where, name, value) => {
  try {
    window[where].setItem(name, JSON.stringify(value));
  } catch {
    /* this browser forgets the value */
  }
};
