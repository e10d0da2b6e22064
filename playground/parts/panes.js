// Panes for arrow keys. Each pane is one stop of Tab, at the last visited cell; Enter presses the content of the cell.

import { around, findElements } from "./elements.js";

/**
 * Make a pane, which contains rows, which contain cells; a row can be its own cell.
 * @param {HTMLElement} pane
 * @param {{row?: string, cell?: string, keys?: Record<string, (cell: HTMLElement) => void>}} parts  selectors, and keys
 */
export const newPane = (pane, { row: ROW = "[data-row]", cell: CELL = "[data-cell]", keys: own = {} } = {}) => {
  const rows = () => findElements(pane, ROW).filter((row) => row.checkVisibility());
  const cells = (/** @type {HTMLElement | undefined} */ row) =>
    !row ? [] : row.matches(CELL) ? [row] : findElements(row, CELL);
  const stop = () => findElements(pane, `${CELL}[tabindex="0"]`)[0];

  /** Make one cell the only stop of Tab. */
  const setStop = (/** @type {HTMLElement | null | undefined} */ cell) => {
    if (!cell) return;
    for (const other of findElements(pane, `${CELL}[tabindex="0"]`)) other.tabIndex = -1;
    cell.tabIndex = 0;
  };

  const go = (/** @type {HTMLElement | undefined} */ cell) => {
    setStop(cell);
    cell?.focus();
    cell?.scrollIntoView({ block: "nearest", inline: "nearest" });
  };

  /** Make the first cell the stop, after the content of the pane changed. */
  const fresh = () => {
    for (const cell of findElements(pane, CELL)) if (cell.tabIndex !== -1) cell.tabIndex = -1;
    const all = findElements(pane, ROW);
    setStop(cells(all.find((row) => row.checkVisibility()) ?? all[0])[0]); // also in a hidden pane
  };

  pane.addEventListener("focusin", (event) => setStop(around(event, CELL)));
  for (const kind of ["toggle", "change"]) {
    // the stop can be hidden now
    pane.addEventListener(
      kind,
      () => {
        if (stop() && !stop().checkVisibility()) fresh();
      },
      true,
    );
  }

  pane.addEventListener("keydown", (event) => {
    const cell = around(event, CELL);
    const row = around(event, ROW);
    if (!cell || !row || event.ctrlKey || event.metaKey || event.altKey) return;
    const all = rows();
    const number = all.indexOf(row);
    const column = cells(row).indexOf(cell);
    const below = (/** @type {number} */ next) => {
      const others = cells(all[Math.max(0, Math.min(all.length - 1, next))]);
      return others[Math.min(column, others.length - 1)];
    };
    const page = Math.max(1, Math.floor(pane.clientHeight / Math.max(1, row.offsetHeight)) - 1);
    /** @type {Record<string, () => HTMLElement | undefined>} */
    const keys = {
      ArrowDown: () => below(number + 1),
      ArrowUp: () => below(number - 1),
      ArrowRight: () => cells(row)[column + 1],
      ArrowLeft: () => cells(row)[column - 1],
      Home: () => below(0),
      End: () => below(all.length - 1),
      PageDown: () => below(number + page),
      PageUp: () => below(number - page),
    };
    if (own[event.key]) own[event.key](cell);
    else if (keys[event.key]) go(keys[event.key]());
    else if (event.key === "Enter" && !cell.matches("a, button")) cell.click();
    else return;
    event.preventDefault();
  });

  return { fresh, go, stop };
};
