// Keys and links of the score tree. Everything works without this but for the arrows and the copied path.
(() => {
  const NARROW = 580;  // pixels of a pane in which the values of a row stand below its score

  const rows = (tree) => [...tree.querySelectorAll(".anls-row:not(.anls-header)")].filter((row) => row.checkVisibility());

  const show = (row) => {
    for (let part = row.parentElement; part; part = part.parentElement) {
      if (part.tagName === "DETAILS") part.open = true;
    }
    row.focus();
    row.scrollIntoView({ block: "nearest" });
  };

  const isLoss = (row) => row.querySelector(".anls-lost") && (row.tagName !== "SUMMARY" || /missing|extra/.test(row.dataset.status));

  const toLoss = (tree, row, step) => {
    const all = [...tree.querySelectorAll(".anls-row:not(.anls-header)")];
    for (let at = all.indexOf(row) + step; all[at]; at += step) {
      if (isLoss(all[at]) && !insideLoss(all[at])) return show(all[at]);
    }
  };

  const insideLoss = (row) => {  // a part that is missing as a whole is one loss
    const above = (row.tagName === "SUMMARY" ? row.parentElement : row).parentElement.closest("details");
    return above && /missing|extra/.test(above.dataset.status);
  };

  const keys = {
    n: (all, at) => toLoss(all[at].closest(".anls-tree"), all[at], 1),
    p: (all, at) => toLoss(all[at].closest(".anls-tree"), all[at], -1),
    ArrowDown: (all, at) => all[at + 1]?.focus(),
    ArrowUp: (all, at) => all[at - 1]?.focus(),
    ArrowRight: (all, at) => { if (all[at].tagName === "SUMMARY") all[at].parentElement.open = true; },
    ArrowLeft: (all, at) => { if (all[at].tagName === "SUMMARY") all[at].parentElement.open = false; },
    c: (all, at) => all[at].dataset.path && navigator.clipboard?.writeText(all[at].dataset.path).catch(() => {}),
  };

  document.addEventListener("keydown", (event) => {
    const row = event.target.closest?.(".anls-tree .anls-row");
    if (!row || event.ctrlKey || event.metaKey || event.altKey || !keys[event.key]) return;
    event.preventDefault();
    const all = rows(row.closest(".anls-tree"));
    keys[event.key](all, all.indexOf(row));
  });

  // The width counts scroll bars, which come and go with what is drawn.
  window.docscorePane = (pane) => {
    new ResizeObserver(() => pane.classList.toggle("page-narrow", pane.offsetWidth < NARROW)).observe(pane);
  };

  document.addEventListener("click", (event) => {
    const link = event.target.closest?.(".anls-losses a, .anls-remarks a");
    const row = link && document.getElementById(link.getAttribute("href").slice(1));
    if (!row) return;
    event.preventDefault();
    const only = row.closest(".anls-tree").querySelector(".anls-only");
    if (row.dataset.status === "exact") only.checked = false;
    show(row);
  });
})();
