// The documents of results, which this browser keeps as long as the server keeps the results. They are never sent to be
// kept.

/** @import { DocumentFiles } from "./document_files.js" */
/** @typedef {Pick<DocumentFiles, "images" | "pdfs" | "texts">} KeptFiles  by their names */
/** @typedef {{at: number, set?: string, files?: KeptFiles}} Entry  files, or the name of the set that a result has */

const NAME = "docscore-documents";
const STORE = "files";
const HOUR = 3_600_000; // milliseconds that the server keeps a result

/**
 * Do something with the store, without what is older than an hour. In a browser that keeps nothing, nothing is found.
 * @template T
 * @param {(store: IDBObjectStore) => IDBRequest<T>} act
 * @returns {Promise<T | undefined>}
 */
const inStore = (act) =>
  new Promise((done) => {
    const none = () => done(undefined);
    const asked = indexedDB.open(NAME, 1);
    asked.onupgradeneeded = () => asked.result.createObjectStore(STORE);
    asked.onerror = none;
    asked.onsuccess = () => {
      const transaction = asked.result.transaction(STORE, "readwrite");
      const store = transaction.objectStore(STORE);
      const entries = store.openCursor();
      entries.onsuccess = () => {
        const cursor = entries.result;
        if (cursor?.value.at < Date.now() - HOUR) cursor?.delete();
        cursor?.continue();
      };
      const found = act(store);
      transaction.onerror = transaction.onabort = none;
      transaction.oncomplete = () => {
        asked.result.close();
        done(found.result);
      };
    };
  });

/** Keep a set of files, for results that have it. @type {(set: string, files: KeptFiles) => Promise<unknown>} */
export const keepFiles = (set, files) => inStore((store) => store.put({ at: Date.now(), files }, set));

/** A result has a set of files. @type {(run: string, set: string) => Promise<unknown>} */
export const keepSetOf = (run, set) => inStore((store) => store.put({ at: Date.now(), set }, run));

/** @type {(name: string) => Promise<Entry | undefined>} */
const entryOf = (name) => inStore((store) => store.get(name));

/** The set of files that a result has, with its name. @type {(run: string) => Promise<Entry | undefined>} */
export const setOf = async (run) => {
  const { set = "" } = (await entryOf(run)) ?? {};
  const found = set ? await entryOf(set) : undefined;
  return found && { ...found, set };
};
