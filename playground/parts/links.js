// A pair in the URL's hash: deflated, base64url. It stays in the link and never reaches a server.
// A link is untrusted: its length and its inflated size are checked here, and every part of it by the server.

import { newElement } from "./elements.js";

const PREFIX = "#pair=";
const TOLD = 6000; // milliseconds
const TOO_LONG = "it contains more text than this page accepts";

/** @type {(stream: ReadableStream<Uint8Array<ArrayBuffer>>, longest: number) => Promise<Uint8Array<ArrayBuffer>>} */
const collected = async (stream, longest) => {
  const portions = [];
  let length = 0;
  const reader = stream.getReader();
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    length += read.value.length;
    if (length > longest) {
      reader.cancel().catch(() => {});
      throw new Error(TOO_LONG);
    }
    portions.push(read.value);
  }
  return new Uint8Array(await new Blob(portions).arrayBuffer());
};

/**
 * @param {Uint8Array<ArrayBuffer>} bytes
 * @param {CompressionStream | DecompressionStream} transform
 * @param {number} longest
 */
const through = (bytes, transform, longest = Infinity) =>
  collected(new Blob([bytes]).stream().pipeThrough(transform), longest);

/** @type {(text: string, longest: number) => Promise<unknown>} */
const unpacked = async (text, longest) => {
  let packed;
  try {
    packed = Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0));
  } catch {
    throw new Error("it is damaged");
  }
  try {
    const bytes = await through(packed, new DecompressionStream("deflate-raw"), longest);
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch (error) {
    throw error instanceof Error && error.message === TOO_LONG ? error : new Error("it is damaged");
  }
};

/** Return a pair as the hash of an address. @type {(values: Server.PairRequest) => Promise<string>} */
export const hashOfPair = async (values) => {
  const packed = await through(new TextEncoder().encode(JSON.stringify(values)), new CompressionStream("deflate-raw"));
  let binary = "";
  for (const byte of packed) binary += String.fromCharCode(byte);
  return PREFIX + btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
};

/**
 * Return the hash of one document of a test set as a pair, with the options by which it was scored. The server replaces
 * a metric that only test sets have.
 * @type {(sides: Server.PairSides, metric: string, options: Server.SchemaOptions) => Promise<string>}
 */
export const hashOfDocument = (sides, metric, options) => hashOfPair({ ...sides, metric, options });

/**
 * Return the content of a link, undefined if the hash is not a link to a pair.
 * @param {string} hash
 * @param {number} longestText
 * @throws {Error} with a sentence if the link is too long or damaged
 */
export const pairOfHash = async (hash, longestText) => {
  if (!hash.startsWith(PREFIX)) return undefined;
  const longest = 5 * longestText; // two texts as JSON
  if (hash.length > longest) throw new Error(TOO_LONG);
  return unpacked(hash.slice(PREFIX.length), longest);
};

/** @type {HTMLElement | null} */
let told = null;
let timer = 0;

/** Show a sentence below a button for some seconds, above the content there. */
export const tellBelow = (/** @type {HTMLElement} */ button, /** @type {string} */ sentence) => {
  const place = (told ??= newElement("p", "ds told"));
  const { right, bottom } = button.getBoundingClientRect();
  place.setAttribute("role", "status");
  place.style.setProperty("--right", `${document.documentElement.clientWidth - right}px`);
  place.style.setProperty("--bottom", `${bottom}px`);
  place.textContent = "";
  button.closest(".ds")?.append(place);
  requestAnimationFrame(() => {
    place.textContent = sentence; // a screen reader reads a change of the text
  });
  clearTimeout(timer);
  timer = window.setTimeout(() => {
    place.textContent = "";
  }, TOLD);
};

/**
 * Copy a link to the current page, and report it with a note below the pressed button for some seconds. Return "", or a
 * sentence with the link to show for longer.
 * @type {(button: HTMLElement, link: string, note?: string) => Promise<string>}
 */
export const copyLink = async (button, link, note = "") => {
  const framed = window.top !== window ? " It opens this page outside the frame." : "";
  try {
    await navigator.clipboard.writeText(link);
    tellBelow(button, `The link is copied.${note}${framed}`);
  } catch {
    if (framed) return `Your browser does not let this frame copy; the link is ${link}`;
    tellBelow(button, `The link is in the address bar.${note}`);
  }
  return "";
};
