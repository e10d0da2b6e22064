// Numbers, names and messages as visitors read them.

const FILE_NAME = /^[^:]*\w\.[a-z]\w*(:|,| and )/; // of a file, before what is said of it

/**
 * How many there are, with their name.
 * @type {(count: number, one: string, many?: string) => string}
 */
export const counted = (count, one, many = `${one}s`) => `${count.toLocaleString("en")} ${count === 1 ? one : many}`;

/** A difference with its sign, in three digits. @type {(value: number) => string} */
export const signed = (value) => `${value < 0 ? "−" : "+"}${Math.abs(value).toFixed(3)}`;

export const capital = (/** @type {string} */ text) => text[0].toUpperCase() + text.slice(1);

/**
 * A message as a sentence: with a capital, where it does not begin with the name of a file, and a full stop.
 * @type {(text: string) => string}
 */
export const sentenceOf = (text) => (FILE_NAME.test(text) ? text : capital(text)) + (/[.…!?]$/.test(text) ? "" : ".");

/**
 * A name with its control characters and those that turn the direction of text as numbers.
 * @type {(text: string) => string}
 */
export const printable = (text) =>
  text.replace(/[\p{Cc}\p{Cf}]/gu, (sign) => `\\u{${sign.codePointAt(0)?.toString(16)}}`);

/** The name of a file without its folders. @type {(path: string) => string} */
export const fileName = (path) => path.split(/[\\/]/).pop() ?? path;

/**
 * A name of a file or a document without folders and ending, by which both are matched.
 * @type {(name: string) => string}
 */
export const stemOf = (name) => fileName(name.toLowerCase()).replace(/\.[a-z]{3,4}$/, "");
