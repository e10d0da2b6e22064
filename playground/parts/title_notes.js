// The titles of elements, for visitors who do not hover. A title is shown below an element that gets the focus by a
// key, and below an element other than a button that a finger presses.

import { around } from "./elements.js";

export const startTitleNotes = () => {
  const note = document.createElement("p");
  note.className = "ds told";
  note.setAttribute("aria-hidden", "true"); // screen readers read titles themselves

  const show = (/** @type {HTMLElement} */ titled) => {
    const { top, right, bottom } = titled.getBoundingClientRect();
    note.textContent = titled.title;
    (titled.closest("dialog") ?? titled.closest(".ds"))?.append(note);
    const isBelow = bottom + note.offsetHeight + 8 < window.innerHeight;
    note.style.setProperty("--right", `${document.documentElement.clientWidth - right}px`);
    note.style.setProperty("--bottom", `${isBelow ? bottom : top - note.offsetHeight - 8}px`);
  };

  document.addEventListener("focusin", (event) => {
    const titled = "pointer" in document.documentElement.dataset ? null : around(event, "[title]");
    if (titled?.title) show(titled);
    else note.remove();
  });
  document.addEventListener("pointerup", (event) => {
    const titled = event.pointerType === "touch" && !around(event, "a, button, label") && around(event, "[title]");
    if (titled) show(titled);
    else note.remove();
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") note.remove();
  });
  const follow = () => {
    const titled = note.isConnected ? document.activeElement?.closest("[title]") : null;
    if (titled instanceof HTMLElement && titled.title === note.textContent) show(titled);
    else note.remove();
  };
  document.addEventListener("scroll", follow, { capture: true, passive: true });
};
