// Uploads: find dropped files, and upload files, again if the server lost them.

import { noAnswer } from "./asking.js";
import { limitInWords, printable } from "./words.js";

const UPLOAD = "gradio_api/upload";
const NAMES = ["references", "predictions", "files", "texts", "pdf"]; // keys of a request that name uploaded files
/** @type {Map<string, File>} files by their names on the server */
const files = new Map();
/** @type {Map<string, string>} new names by the names that the server lost */
const renamed = new Map();

/** Remember the name of a file on the server. @type {(path: string, file: File) => void} */
export const remember = (path, file) => {
  files.set(path, file);
};

/**
 * Return the dropped files, including files in folders. Call it during the drop, since browsers forget the files later.
 * @param {DataTransfer} dropped
 */
export const droppedFiles = async (dropped) => {
  const entries = [...dropped.items].map((item) => {
    const entry = item.webkitGetAsEntry();
    return entry?.isDirectory ? entry : item.getAsFile();
  });
  /** @type {File[]} */
  const files = [];
  for (const entry of entries) await enter(entry, files);
  return files;
};

/** @type {(entry: FileSystemEntry | File | null, files: File[]) => Promise<void>} */
const enter = async (entry, files) => {
  if (entry instanceof File) files.push(entry);
  if (entry instanceof FileSystemFileEntry) {
    const file = await new Promise((done, fail) => {
      entry.file(done, fail);
    });
    files.push(file);
  }
  if (!(entry instanceof FileSystemDirectoryEntry)) return;
  const reader = entry.createReader();
  for (let more = true; more;) {
    /** @type {FileSystemEntry[]} read in several batches */
    const entries = await new Promise((done, fail) => {
      reader.readEntries(done, fail);
    });
    for (const each of entries) await enter(each, files);
    more = entries.length > 0;
  }
};

/**
 * Upload a file; the request can be stopped.
 * @param {File} file
 * @param {(share: number) => void} progress
 * @param {(path: string, fault: string) => void} ended  called with the name on the server, or the reason for none
 * @param {number} largest  bytes of a file
 */
export const upload = (file, progress, ended, largest) => {
  const request = new XMLHttpRequest();
  const form = new FormData();
  form.append("files", file, file.name);
  request.upload.addEventListener("progress", (event) => progress(event.loaded / event.total));
  request.addEventListener("load", () => {
    let path = "";
    try {
      [path] = request.status === 200 ? JSON.parse(request.responseText) : [""];
    } catch {
      /* not an answer of this server */
    }
    if (path) remember(path, file);
    const isTooLarge = request.status === 413;
    const fault = isTooLarge ? `It is larger than ${limitInWords(largest)}.` : "";
    ended(path, path ? "" : fault || "The server did not accept it.");
  });
  request.addEventListener("error", () => {
    ended("", noAnswer().refused);
  });
  request.open("POST", UPLOAD);
  request.send(form);
  return request;
};

/**
 * Upload a file and return its name on the server; throw an error if the server does not accept it.
 * @type {(file: File) => Promise<string>}
 */
export const uploaded = async (file) => {
  const form = new FormData();
  form.append("files", file, file.name);
  const answer = await fetch(UPLOAD, { method: "POST", body: form });
  if (!answer.ok) throw new Error(`${printable(file.name)} could not be uploaded.`);
  /** @type {string[]} */
  const [path] = await answer.json();
  remember(path, file);
  return path;
};

/** Return a part of a request with the newest names of files on the server. @type {(part: unknown) => unknown} */
export const newest = (part) => {
  if (Array.isArray(part)) return part.map(newest);
  return typeof part === "string" ? (renamed.get(part) ?? part) : part;
};

/**
 * Return a function that sends a request about files. If the server lost the files, as after a restart, it uploads them
 * and sends the request once more.
 * @template {object} Q, A
 * @param {Server.Ask<Q, A>} ask
 * @param {(file: File) => Promise<string>} send
 * @returns {Server.Ask<Q, A>}
 */
export const askAgain =
  (ask, send = uploaded) =>
  async (question) => {
    const parts = Object.entries(question).filter(([name]) => NAMES.includes(name));
    const asked = () => ({ ...question, ...Object.fromEntries(parts.map(([name, part]) => [name, newest(part)])) });
    const found = await ask(asked());
    if (!found || typeof found !== "object" || !("kind" in found) || found.kind !== "gone") return found;
    const lost = [...new Set(parts.flatMap(([, part]) => part))].filter((path) => files.has(path));
    try {
      for (const path of lost) renamed.set(path, await send(/** @type {File} */ (files.get(path))));
    } catch {
      return found;
    }
    return lost.length ? ask(asked()) : found;
  };
