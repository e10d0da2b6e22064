// What of a test set is shown, as it stands in the address. A link is data from a stranger: its parts are known here, and
// what they mean is checked by the server.

/** @typedef {{documents: string, document: number | null, row: number | null, cause: string | null, field: string | null, find: string, sort: string, low: number, high: number, image: string}} View */

const docscoreViews = (() => {
  const PREFIX = "#documents=";
  const LONGEST_LINK = 2000;  // characters
  /** @type {View} */
  const NOTHING = { documents: "", document: null, row: null, cause: null, field: null, find: "", sort: "loss", low: 0, high: 1, image: "" };

  return {
    NOTHING,

    /**
     * The view of an address, null if it has none; an Error with a sentence for what is not accepted.
     * @type {(hash: string) => View | null}
     */
    of: (hash) => {
      if (!hash.startsWith(PREFIX)) return null;
      if (hash.length > LONGEST_LINK) throw new Error("it is too long");
      /** @type {Record<string, string | number>} */
      const found = {};
      for (const [name, value] of new URLSearchParams(hash.slice(1))) {
        if (!Object.hasOwn(NOTHING, name) || Object.hasOwn(found, name)) throw new Error("it has unknown parts");
        found[name] = ["document", "row", "low", "high"].includes(name) ? Number(value) : value;
      }
      return { ...NOTHING, ...found };
    },

    /** @type {(view: View) => string} */
    address: (view) => {
      const parts = new URLSearchParams({ documents: view.documents });
      for (const [name, usual] of Object.entries(NOTHING)) {
        const value = view[/** @type {keyof View} */ (name)];
        if (name !== "documents" && value !== usual) parts.set(name, String(value));
      }
      return `#${parts}`;
    },
  };
})();
