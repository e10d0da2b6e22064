// The documents of results. This browser keeps them as long as the server keeps the results; the server does not keep
// them.

/** @import { DocumentFiles } from "./document_files.js" */
/** @typedef {Pick<DocumentFiles, "images" | "pdfs" | "texts">} KeptFiles  the files by name */
/** @typedef {{at: number, set?: string, files?: KeptFiles}} Entry  a set of files, or the name of a result's set */

const NAME = "docscore-documents";
const STORE = "files";
const HOUR = 3_600_000; // milliseconds that the server keeps a result

/** @template T @param {IDBRequest<T>} request @returns {Promise<T>} */
const answerOf = (request) =>
  new Promise((done, fail) => {
    request.onsuccess = () => done(request.result);
    request.onerror = () => fail(request.error);
  });

/** Delete results after an hour, then sets of no result. In the store, names of results come before names of sets. */
const forgetOld = (/** @type {IDBObjectStore} */ store) => {
  const wanted = new Set();
  const entries = store.openCursor();
  entries.onsuccess = () => {
    const { result: cursor } = entries;
    if (!cursor) return;
    const { at, set } = cursor.value;
    if (at > Date.now() - HOUR) wanted.add(set);
    else if (!wanted.has(cursor.key)) cursor.delete();
    cursor.continue();
  };
};

/**
 * Do something with the store; return undefined in a browser that keeps nothing.
 * @template T
 * @param {(store: IDBObjectStore) => IDBRequest<T>} act
 * @returns {Promise<T | undefined>}
 */
const inStore = async (act) => {
  try {
    const asked = indexedDB.open(NAME, 1);
    asked.onupgradeneeded = () => asked.result.createObjectStore(STORE);
    const base = await answerOf(asked);
    const store = base.transaction(STORE, "readwrite").objectStore(STORE);
    forgetOld(store);
    try {
      return await answerOf(act(store));
    } finally {
      base.close();
    }
  } catch {
    return undefined;
  }
};

/** Keep a set of files for results. @type {(set: string, files: KeptFiles) => Promise<unknown>} */
export const keepFiles = (set, files) => inStore((store) => store.put({ at: Date.now(), files }, set));

/** Note that a result has a set of files. @type {(run: string, set: string) => Promise<unknown>} */
export const keepSetOf = (run, set) => inStore((store) => store.put({ at: Date.now(), set }, `result ${run}`));

/** @type {(name: string) => Promise<Entry | undefined>} */
const entryOf = (name) => inStore((store) => store.get(name));

/** Return the set of files of a result, with its name. @type {(run: string) => Promise<Entry | undefined>} */
export const setOf = async (run) => {
  const { set = "" } = (await entryOf(`result ${run}`)) ?? {};
  const found = set ? await entryOf(set) : undefined;
  return found && { ...found, set };
};
