// Numbers, names and messages in the form that visitors read.

const FILE_NAME = /^[^:]*\w\.[a-z]\w*(:|,| and )/; // the name of a file at the beginning of a message

/**
 * Return a count with its noun.
 * @type {(count: number, one: string, many?: string) => string}
 */
export const counted = (count, one, many = `${one}s`) => `${count.toLocaleString("en")} ${count === 1 ? one : many}`;

/** Return the largest size of a file or text in words. */
export const limitInWords = (/** @type {number} */ bytes) => `${bytes / 1e6} MB, the limit of this page`;

/** Format a difference with its sign and three digits. @type {(value: number) => string} */
export const signed = (value) => `${value < 0 ? "−" : "+"}${Math.abs(value).toFixed(3)}`;

export const capital = (/** @type {string} */ text) => text[0].toUpperCase() + text.slice(1);

/**
 * Return a message as a sentence: with a full stop, and a capital unless it begins with the name of a file.
 * @type {(text: string) => string}
 */
export const sentenceOf = (text) => (FILE_NAME.test(text) ? text : capital(text)) + (/[.…!?]$/.test(text) ? "" : ".");

/**
 * Return a name in which control characters and characters that change the text direction are numbers.
 * @type {(text: string) => string}
 */
export const printable = (text) =>
  text.replace(/[\p{Cc}\p{Cf}]/gu, (sign) => `\\u{${sign.codePointAt(0)?.toString(16)}}`);

/** Return the name of a file without its folders. @type {(path: string) => string} */
export const fileName = (path) => path.split(/[\\/]/).pop() ?? path;

/**
 * Return the name of a file or a document without folders and extension; equal names match.
 * @type {(name: string) => string}
 */
export const stemOf = (name) => fileName(name.toLowerCase()).replace(/\.[a-z]{3,4}$/, "");
