// Files on their way to the server: those that were dropped, and what uploads them.

import { printable } from "./words.js";

const UPLOAD = "gradio_api/upload";

/**
 * The files that were dropped, also those in folders; asked while they are, as a browser forgets them then.
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
    /** @type {FileSystemEntry[]} some at a time */
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
 * @param {(path: string, fault: string) => void} ended  gets the name on the server, or why there is none
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
      /* no answer of ours */
    }
    const isTooLarge = request.status === 413;
    const fault = isTooLarge ? `It is larger than ${largest / 1e6} MB, the limit of this page.` : "";
    ended(path, path ? "" : fault || "The server did not accept it.");
  });
  request.addEventListener("error", () => {
    ended("", navigator.onLine ? "The server does not respond." : "You are offline.");
  });
  request.open("POST", UPLOAD);
  request.send(form);
  return request;
};

/**
 * The name of an uploaded file on the server; an error where it does not take it.
 * @type {(file: File) => Promise<string>}
 */
export const uploaded = async (file) => {
  const form = new FormData();
  form.append("files", file, file.name);
  const answer = await fetch(UPLOAD, { method: "POST", body: form });
  if (!answer.ok) throw new Error(`${printable(file.name)} could not be uploaded.`);
  /** @type {string[]} */
  const [path] = await answer.json();
  return path;
};
