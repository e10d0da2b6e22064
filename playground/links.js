// A pair in the URL's hash: deflated, base64url. It stays in the link and never reaches a server.
// A link is data from a stranger: its length and what it inflates to are checked here, every part of it by the server.
const docscoreLinks = (() => {
  const PREFIX = "#pair=";
  const TOO_LONG = "it holds more text than this page takes";

  const collected = async (/** @type {ReadableStream<Uint8Array<ArrayBuffer>>} */ stream, /** @type {number} */ longest) => {
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

  const through = (/** @type {Uint8Array<ArrayBuffer>} */ bytes, /** @type {CompressionStream | DecompressionStream} */ transform, longest = Infinity) =>
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

  return {
    // Copy a link to the page as it is; a sentence that says so, and a note on the link.
    copy: async (/** @type {string} */ link, note = "") => {
      const framed = window.top !== window ? " It opens this page outside of the frame." : "";
      try { await navigator.clipboard.writeText(link); return `The link is copied.${note}${framed}`; }
      catch { return framed ? `Your browser does not let this frame copy; the link is ${link}` : `The link is in the address bar.${note}`; }
    },

    toHash: async (/** @type {Server.PairRequest} */ values) => {
      const packed = await through(new TextEncoder().encode(JSON.stringify(values)), new CompressionStream("deflate-raw"));
      let binary = "";
      for (const byte of packed) binary += String.fromCharCode(byte);
      return PREFIX + btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
    },

    // What a link holds, undefined if the hash is no link of ours; an Error with a sentence for what is too long.
    fromHash: async (/** @type {string} */ hash, /** @type {number} */ longestText) => {
      if (!hash.startsWith(PREFIX)) return undefined;
      const longest = 5 * longestText;  // two texts as JSON
      if (hash.length > longest) throw new Error(TOO_LONG);
      return unpacked(hash.slice(PREFIX.length), longest);
    },
  };
})();
