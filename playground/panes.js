// @ts-check
// Panes that arrows move in: each is one stop of Tab, on the cell where one was last; Enter presses what is in it.

/**
 * A pane holds elements with `data-row`, and these hold elements with `data-cell`.
 * @param {HTMLElement} pane
 */
const docscorePane = (pane) => {
  const rows = () => /** @type {HTMLElement[]} */ ([...pane.querySelectorAll("[data-row]")]).filter((row) => row.checkVisibility());
  const cells = (/** @type {HTMLElement | undefined} */ row) => /** @type {HTMLElement[]} */ (row ? [...row.querySelectorAll("[data-cell]")] : []);

  /** One cell is a stop of Tab, and no other. */
  const stop = (/** @type {HTMLElement | undefined} */ cell) => {
    if (!cell) return;
    for (const other of pane.querySelectorAll('[data-cell][tabindex="0"]')) other.setAttribute("tabindex", "-1");
    cell.tabIndex = 0;
  };

  const go = (/** @type {HTMLElement | undefined} */ cell) => {
    stop(cell);
    cell?.focus();
    cell?.scrollIntoView({ block: "nearest", inline: "nearest" });
  };

  pane.addEventListener("focusin", (event) => {
    const cell = /** @type {HTMLElement} */ (event.target).closest("[data-cell]");
    if (cell instanceof HTMLElement) stop(cell);
  });

  pane.addEventListener("keydown", (event) => {
    const cell = /** @type {HTMLElement} */ (event.target).closest("[data-cell]");
    if (!(cell instanceof HTMLElement) || event.ctrlKey || event.metaKey || event.altKey) return;
    const all = rows(), row = /** @type {HTMLElement} */ (cell.closest("[data-row]")), at = all.indexOf(row), column = cells(row).indexOf(cell);
    const below = (/** @type {number} */ next) => {
      const others = cells(all[Math.max(0, Math.min(all.length - 1, next))]);
      return others[Math.min(column, others.length - 1)];
    };
    const page = Math.max(1, Math.floor(pane.clientHeight / Math.max(1, row.offsetHeight)) - 1);
    /** @type {Record<string, () => HTMLElement | undefined>} */
    const keys = {
      ArrowDown: () => below(at + 1),
      ArrowUp: () => below(at - 1),
      ArrowRight: () => cells(row)[column + 1],
      ArrowLeft: () => cells(row)[column - 1],
      Home: () => below(0),
      End: () => below(all.length - 1),
      PageDown: () => below(at + page),
      PageUp: () => below(at - page),
    };
    if (keys[event.key]) go(keys[event.key]());
    else if (event.key === "Enter" && !cell.matches("a, button")) cell.click();
    else return;
    event.preventDefault();
  });

  return {
    /** What is in the pane is new: its first cell is the stop. */
    fresh: () => stop(cells(rows()[0])[0]),
    go,
  };
};
