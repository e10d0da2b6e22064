// A pair in the URL's hash: deflated, base64url. It stays in the link and never reaches a server.
// A link is data from a stranger: its length, what it inflates to and the type of every part are checked before use.
(() => {
  const PREFIX = "#pair=";
  const TOO_LONG = "it holds more text than this page takes";

  const collected = async (stream, longest) => {
    const portions = [];
    let length = 0;
    const reader = stream.getReader();
    for (let { done, value } = await reader.read(); !done; { done, value } = await reader.read()) {
      length += value.length;
      if (length > longest) {
        reader.cancel().catch(() => {});
        throw new Error(TOO_LONG);
      }
      portions.push(value);
    }
    return new Uint8Array(await new Blob(portions).arrayBuffer());
  };

  const through = (bytes, transform, longest = Infinity) =>
    collected(new Blob([bytes]).stream().pipeThrough(transform), longest);

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
      throw error.message === TOO_LONG ? error : new Error("it is damaged");
    }
  };

  const is = {
    truth: (value, { longest }) => typeof value === "string" && value.length <= longest,
    prediction: (value, { longest }) => typeof value === "string" && value.length <= longest,
    threshold: (value) => typeof value === "number" && value >= 0 && value <= 1,
    ignore_case: (value) => typeof value === "boolean",
    reading: (value, { choices }) => choices.reading.includes(value),
    metric: (value, { choices }) => choices.metric.includes(value),
    rules: (value, { choices }) => choices.rules.includes(value),
    numbers: (value, { choices }) => choices.numbers.includes(value),
  };
  const NAMES = Object.keys(is);

  const checked = (found, settings) => {
    if (!Array.isArray(found) || found.length < 5 || found.length > NAMES.length) throw new Error("it does not hold a pair");
    const later = ["ANLS*", "paper", "text"];  // what links of earlier pages do not have
    const values = [...found, ...later.slice(found.length - 5)];
    if (typeof values[4] === "boolean") values[4] = values[4] ? "text" : "repair";
    NAMES.forEach((name, at) => {
      if (!is[name](values[at], settings)) throw new Error(`its ${name.replace("_", " ")} is not what this page takes`);
    });
    return Object.fromEntries(NAMES.map((name, at) => [name, values[at]]));
  };

  window.docscoreLinks = {
    // Copy a link to the page as it is; a sentence that says so, and a note on the link.
    copy: async (link, note = "") => {
      const framed = window.top !== window ? " It opens this page outside of the frame." : "";
      try { await navigator.clipboard.writeText(link); return `The link is copied.${note}${framed}`; }
      catch { return framed ? `Your browser does not let this frame copy; the link is ${link}` : `The link is in the address bar.${note}`; }
    },

    toHash: async (values) => {
      const text = JSON.stringify(NAMES.map((name) => values[name]));
      const packed = await through(new TextEncoder().encode(text), new CompressionStream("deflate-raw"));
      let binary = "";
      for (const byte of packed) binary += String.fromCharCode(byte);
      return PREFIX + btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
    },

    // The values of a link, null if the hash is no link of ours; an Error with a sentence for what is not accepted.
    fromHash: async (hash, settings) => {
      if (!hash.startsWith(PREFIX)) return null;
      const longest = 5 * settings.longest;  // two texts as JSON
      if (hash.length > longest) throw new Error(TOO_LONG);
      return checked(await unpacked(hash.slice(PREFIX.length), longest), settings);
    },
  };
})();
