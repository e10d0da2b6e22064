// Keys and links of the score tree. Everything works without this but for the arrows and the copied path.
(() => {
  const rows = (tree) => [...tree.querySelectorAll(".anls-row:not(.anls-header)")].filter((row) => row.checkVisibility());

  const show = (row) => {
    for (let part = row.parentElement; part; part = part.parentElement) {
      if (part.tagName === "DETAILS") part.open = true;
    }
    row.focus();
    row.scrollIntoView({ block: "center" });
  };

  const keys = {
    ArrowDown: (all, at) => all[at + 1]?.focus(),
    ArrowUp: (all, at) => all[at - 1]?.focus(),
    ArrowRight: (all, at) => { if (all[at].tagName === "SUMMARY") all[at].parentElement.open = true; },
    ArrowLeft: (all, at) => { if (all[at].tagName === "SUMMARY") all[at].parentElement.open = false; },
    c: (all, at) => navigator.clipboard?.writeText(all[at].dataset.path),
  };

  document.addEventListener("keydown", (event) => {
    const row = event.target.closest?.(".anls-tree .anls-row");
    if (!row || event.ctrlKey || event.metaKey || event.altKey || !keys[event.key]) return;
    event.preventDefault();
    const all = rows(row.closest(".anls-tree"));
    keys[event.key](all, all.indexOf(row));
  });

  document.addEventListener("click", (event) => {
    const link = event.target.closest?.(".anls-losses a");
    const row = link && document.getElementById(link.getAttribute("href").slice(1));
    if (!row) return;
    event.preventDefault();
    const only = row.closest(".anls-tree").querySelector(".anls-only");
    if (row.dataset.status === "exact") only.checked = false;
    show(row);
  });

  // A pair in the URL's hash: deflated, base64url; it stays in the link and never reaches a server.
  const through = async (bytes, stream) =>
    new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer());

  window.anlsToHash = async (pair) => {
    const packed = await through(new TextEncoder().encode(JSON.stringify(pair)), new CompressionStream("deflate-raw"));
    let text = "";
    for (const byte of packed) text += String.fromCharCode(byte);
    return "#pair=" + btoa(text).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
  };

  window.anlsFromHash = async () => {
    if (!location.hash.startsWith("#pair=")) return null;
    try {
      const text = atob(location.hash.slice(6).replaceAll("-", "+").replaceAll("_", "/"));
      const packed = Uint8Array.from(text, (c) => c.charCodeAt(0));
      const pair = JSON.parse(new TextDecoder().decode(await through(packed, new DecompressionStream("deflate-raw"))));
      if (!Array.isArray(pair)) return null;
      const later = ["ANLS*", "paper", "text"]; // what links of earlier pages do not have
      return pair.length >= 5 && pair.length <= 8 ? [...pair, ...later.slice(pair.length - 5)] : null;
    } catch {
      return null;
    }
  };
})();
