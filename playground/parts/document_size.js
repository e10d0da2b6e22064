// The size of a document: the width of its pane, which can be dragged and is remembered, and the zoom of its page.

import { newElement } from "./elements.js";
import { store, stored } from "./stored.js";

const WIDTH = "docscore-document-width"; // the storage key in this browser
const LEAST = 320; // pixels
const MOST = 0.6; // share of the window's width
const STEP = 24; // pixels per press of an arrow key
const SLOW = 300; // pixels of wheel movement that enlarge a page by the factor e

/** Set the width of all panes. */
const setWidth = (/** @type {number} */ width) =>
  document.documentElement.style.setProperty("--doc-width", `${width}px`);

/**
 * Make the edge by which the width of a pane is dragged; `changed` is called when it is released.
 * @type {(pane: HTMLElement, changed: () => void) => HTMLElement}
 */
export const newGrip = (pane, changed) => {
  const grip = newElement("div", "ev-grip wide-only");
  const attributes = { role: "separator", "aria-orientation": "vertical", "aria-label": "Width of the document" };
  for (const [name, value] of Object.entries(attributes)) grip.setAttribute(name, value);
  grip.tabIndex = 0;
  const show = (/** @type {number} */ width) => {
    const values = { now: width, min: LEAST, max: Math.round(MOST * window.innerWidth) };
    for (const [name, value] of Object.entries(values)) grip.setAttribute(`aria-value${name}`, String(value));
  };
  const kept = Number(stored("localStorage", WIDTH));
  show(kept || LEAST);
  if (kept) setWidth(kept);
  const resize = (/** @type {number} */ wanted) => {
    const width = Math.round(Math.max(LEAST, Math.min(MOST * window.innerWidth, wanted)));
    setWidth(width);
    show(width);
    store("localStorage", WIDTH, width);
  };
  grip.addEventListener("focus", () => show(pane.offsetWidth));
  grip.addEventListener("pointerdown", (event) => {
    event.preventDefault();
    grip.setPointerCapture(event.pointerId);
  });
  grip.addEventListener("pointermove", (event) => {
    if (grip.hasPointerCapture(event.pointerId)) resize(pane.getBoundingClientRect().right - event.clientX);
  });
  grip.addEventListener("lostpointercapture", changed);
  grip.addEventListener("keydown", (event) => {
    if (event.key !== "ArrowLeft" && event.key !== "ArrowRight") return;
    event.preventDefault();
    resize(pane.offsetWidth + (event.key === "ArrowLeft" ? STEP : -STEP));
    changed();
  });
  return grip;
};

/**
 * Zoom around the pointer with Ctrl and the wheel, which is what touch pads send, or with two fingers.
 * @type {(part: HTMLElement, zoomBy: (factor: number, x: number, y: number) => void) => void}
 */
export const listenToZoom = (part, zoomBy) => {
  part.addEventListener(
    "wheel",
    (event) => {
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      zoomBy(Math.exp(-event.deltaY / SLOW), event.clientX, event.clientY);
    },
    { passive: false },
  );
  let apart = 0; // the distance of the fingers in pixels
  for (const kind of /** @type {const} */ (["touchstart", "touchmove", "touchend"])) {
    part.addEventListener(
      kind,
      (event) => {
        const [one, other] = event.touches;
        const before = apart;
        apart = other ? Math.hypot(one.clientX - other.clientX, one.clientY - other.clientY) : 0;
        if (!other) return;
        event.preventDefault();
        if (before) zoomBy(apart / before, (one.clientX + other.clientX) / 2, (one.clientY + other.clientY) / 2);
      },
      { passive: false },
    );
  }
};
