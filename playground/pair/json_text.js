// The text of an editor as JSON: its lines and tokens, its format, and the changes of a repair.

/** @typedef {{kind: "" | "del" | "ins", text: string}} Piece  a piece of an edited text */
/** @typedef {{number: number, before: Piece[], after: Piece[]}} ChangedLine  a line before and after edits */

const TOKEN = /("(?:[^"\\]|\\.)*"?)(\s*:)?|([{}[\],:])|([^\s{}[\],:"]+)|(\s+)/g;
const LONGEST_KEPT = 60; // characters of a line that are shown between two changes

/** Return where the lines of a text begin. @type {(text: string) => number[]} */
export const lineStarts = (text) => {
  const starts = [0];
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return starts;
};

/**
 * Return the number of the line that contains a character, by binary search.
 * @type {(starts: number[], offset: number) => number}
 */
export const lineAt = (starts, offset) => {
  let low = 0;
  let high = starts.length;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (starts[middle] <= offset) low = middle;
    else high = middle;
  }
  return low;
};

/**
 * Format JSON with one line per value, and keep its strings and numbers literally; null if it is not JSON.
 * @type {(text: string) => string | null}
 */
export const formatted = (text) => {
  try {
    JSON.parse(text);
  } catch {
    return null;
  }
  let depth = 0;
  let last = "";
  const parts = [];
  for (const token of text.match(/"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g) ?? []) {
    const closes = token === "}" || token === "]";
    const opened = last === "{" || last === "[";
    if (closes) depth -= 1;
    if (closes ? !opened : opened || last === ",") parts.push(`\n${"  ".repeat(depth)}`);
    parts.push(token === ":" ? ": " : token);
    if (token === "{" || token === "[") depth += 1;
    last = token;
  }
  return parts.join("");
};

const SHORT = 60; // characters; shorter JSON stays in one line

/** Format a pasted text if it is JSON in one long line. @type {(text: string) => string} */
export const spread = (text) =>
  text.trim().length > SHORT && !text.trim().includes("\n") ? (formatted(text) ?? text) : text;

/**
 * Return the tokens of a line with their kinds: "k" a key, "m" a mark, "n" a token without quotes, "" a string or a
 * space. The first token at or after the column of an error is marked, or the last of the line.
 * @type {(line: string, column: number) => {text: string, kind: string, isMarked: boolean}[]}
 */
export const tokensOf = (line, column) => {
  /** @type {{text: string, kind: string, isMarked: boolean}[]} */
  const tokens = [];
  let isOpen = column >= 0; // the error is not marked yet
  for (const match of line.matchAll(TOKEN)) {
    const [whole, quoted, colon, mark, other, space] = match;
    const isHere = isOpen && !space && match.index + whole.length > column;
    const pieces = quoted ? [[quoted, colon ? "k" : ""]] : [[whole, mark ? "m" : other ? "n" : ""]];
    if (colon) pieces.push([colon, "m"]);
    pieces.forEach(([text, kind], at) => tokens.push({ text, kind, isMarked: isHere && at === 0 }));
    if (isHere) isOpen = false;
  }
  if (isOpen && tokens.length) tokens[tokens.length - 1].isMarked = true;
  return tokens;
};

/**
 * Return the pieces that edits keep, remove and add; edits count characters, not code units.
 * @type {(text: string, edits: Server.Edit[]) => Piece[]}
 */
export const piecesOf = (text, edits) => {
  const characters = [...text];
  const kept = (/** @type {number} */ from, /** @type {number} */ to) => characters.slice(from, to).join("");
  let last = 0;
  /** @type {Piece[]} */
  const pieces = [];
  for (const [begin, end, added] of edits) {
    pieces.push({ kind: "", text: kept(last, begin) });
    pieces.push({ kind: "del", text: kept(begin, end) }, { kind: "ins", text: added });
    last = end;
  }
  return [...pieces, { kind: "", text: kept(last, characters.length) }];
};

/** Return the edited text of pieces. @type {(pieces: Piece[]) => string} */
export const textOf = (pieces) =>
  pieces
    .filter(({ kind }) => kind !== "del")
    .map(({ text }) => text)
    .join("");

/** Return the label of a button for edits. @type {(text: string, mend: Server.Mend) => string} */
export const wordsOfMend = (text, { edits, repairs }) => {
  if (!repairs) return "Keep the first";
  const it = edits.length === 1 ? "it" : "them";
  if (edits.every(([, , added]) => added === "\\")) return `Escape ${it}`;
  const kinds = new Set(edits.map(([begin, end, added]) => (begin === end ? "Insert" : added ? "Replace" : "Remove")));
  if (kinds.size > 1) return "Repair it";
  const pieces = piecesOf(text, edits);
  const [kind] = kinds;
  if (kind === "Remove") {
    const length = [...text].length;
    const isAround = edits[0][0] === 0 || edits[edits.length - 1][1] === length;
    const isProse = pieces.some((piece) => piece.kind === "del" && /[\p{L}\p{N}`]/u.test(piece.text));
    return isAround && isProse ? "Take the JSON" : it === "it" ? "Remove it" : "Remove all";
  }
  return it === "it" && !pieces[3].text.trim() ? "Close it" : `${kind} ${it}`;
};

/**
 * Return the lines that edits change, before and after. Long unchanged parts of a line are shortened.
 * @type {(pieces: Piece[]) => ChangedLine[]}
 */
export const changedLines = (pieces) => {
  const line = (/** @type {number} */ number) => ({
    number,
    isChanged: false,
    before: /** @type {Piece[]} */ ([]),
    after: /** @type {Piece[]} */ ([]),
  });
  const lines = [line(1)];
  for (const { kind, text } of pieces) {
    const parts = kind === "ins" ? [text] : text.split("\n");
    parts.forEach((part, at) => {
      if (at) lines.push(line(lines.length + 1));
      const last = lines[lines.length - 1];
      const isBreak = kind === "del" && !text.trim() && at < parts.length - 1;
      if (!kind) {
        const half = LONGEST_KEPT / 2;
        const kept = part.length > LONGEST_KEPT ? `${part.slice(0, half)} … ${part.slice(-half)}` : part;
        for (const side of [last.before, last.after]) side.push({ kind, text: kept });
      } else if (part || isBreak) {
        (kind === "del" ? last.before : last.after).push({ kind, text: part + (isBreak ? "↵" : "") });
        last.isChanged = true;
      }
    });
  }
  return lines.filter(({ isChanged }) => isChanged);
};
