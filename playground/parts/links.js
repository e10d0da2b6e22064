// A pair in the URL's hash: deflated, base64url. It stays in the link and never reaches a server.
// A link is data from a stranger: its length and what it inflates to are checked here, every part of it by the server.
const docscoreLinks = (() => {
  const PREFIX = "#pair=";
  const TOLD = 6000;  // milliseconds
  const PAIR_METRICS = ["anls_star", "kieval", "entity_f1", "nted"];
  const TOO_LONG = "it contains more text than this page accepts";

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

  const told = docscoreElement("p", "ds told");
  told.setAttribute("role", "status");
  let timer = 0;

  /** Say something below a button for some seconds, above what is there. */
  const tell = (/** @type {HTMLElement} */ button, /** @type {string} */ sentence) => {
    const { right, bottom } = button.getBoundingClientRect();
    told.style.setProperty("--right", `${document.documentElement.clientWidth - right}px`);
    told.style.setProperty("--bottom", `${bottom}px`);
    told.textContent = "";
    button.closest(".ds")?.append(told);
    requestAnimationFrame(() => { told.textContent = sentence; });  // a change of what is there is read aloud
    clearTimeout(timer);
    timer = setTimeout(() => { told.textContent = ""; }, TOLD);
  };

  const toHash = async (/** @type {Server.PairRequest} */ values) => {
    const packed = await through(new TextEncoder().encode(JSON.stringify(values)), new CompressionStream("deflate-raw"));
    let binary = "";
    for (const byte of packed) binary += String.fromCharCode(byte);
    return PREFIX + btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
  };

  return {
    tell,

    // Copy a link to the page as it is, and say so with a note on the link, for some seconds below the button that was
    // pressed; "", or a sentence to be shown for longer that holds the link.
    copy: async (/** @type {HTMLElement} */ button, /** @type {string} */ link, note = "") => {
      const framed = window.top !== window ? " It opens this page outside the frame." : "";
      try { await navigator.clipboard.writeText(link); tell(button, `The link is copied.${note}${framed}`); }
      catch {
        if (framed) return `Your browser does not let this frame copy; the link is ${link}`;
        tell(button, `The link is in the address bar.${note}`);
      }
      return "";
    },

    toHash,

    // A document of several as a pair, under the options that it was scored by.
    ofDocument: (/** @type {Server.PairSides} */ sides, /** @type {string} */ metric, /** @type {Server.SchemaOptions} */ options) =>
      toHash({ ...sides, metric: PAIR_METRICS.includes(metric) ? metric : "anls_star", options }),

    // What a link holds, undefined if the hash is no link of ours; an Error with a sentence for what is too long.
    fromHash: async (/** @type {string} */ hash, /** @type {number} */ longestText) => {
      if (!hash.startsWith(PREFIX)) return undefined;
      const longest = 5 * longestText;  // two texts as JSON
      if (hash.length > longest) throw new Error(TOO_LONG);
      return unpacked(hash.slice(PREFIX.length), longest);
    },
  };
})();
