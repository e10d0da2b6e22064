// The first screen, for one pair, works before gradio has started: it asks the server as gradio does. Gradio then gives
// the screen its place in the page.

import { findElement, findElements } from "../parts/elements.js";
import { startCopying } from "../parts/saving.js";
import { startTabs } from "../parts/tabs.js";
import { startPair } from "./pair.js";

const first = () => document.getElementById("first");

/** @type {(name: string) => Server.Ask<unknown, unknown>} */
const asks = (name) => async (asked) => {
  const component = window.gradio_config.components.find(({ props }) => props.server_fns?.includes(name));
  const body = { data: asked, component_id: component?.id, fn_name: name, session_hash: "first" };
  const answer = await fetch("gradio_api/component_server/", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(answer.statusText);
  return answer.json();
};

/** Add the slash that relative links need if a proxy serves the page at an address without one. */
const addSlash = () => {
  const { pathname } = new URL(document.baseURI);
  if (`${location.pathname}/` === pathname) {
    history.replaceState(history.state, "", pathname + location.search + location.hash);
  }
};

export const startFirst = () => {
  const theme = new URLSearchParams(location.search).get("__theme");
  const isDark = matchMedia("(prefers-color-scheme: dark)").matches;
  document.body.classList.toggle("dark", theme === "dark" || (theme !== "light" && isDark));
  addSlash();
  startTabs();
  startCopying();
  const screen = first();
  const server = new Proxy(/** @type {Server.Functions} */ ({}), { get: (_, name) => asks(String(name)) });
  if (screen) startPair(screen, server);
};

/**
 * Move the screen to its place once gradio shows it, with text, focus and scroll positions. In a gradio page without a
 * first screen, start the screen in its place.
 * @type {(place: HTMLElement, server: Server.Functions) => void}
 */
export const adopt = (place, server) => {
  if (getComputedStyle(place).visibility === "hidden") {
    requestAnimationFrame(() => adopt(place, server));
    return;
  }
  const before = first();
  if (!before) {
    startPair(place, server);
    return;
  }
  const screen = findElement(before, ".screen");
  const { activeElement } = document;
  const scrolled = findElements(screen, "textarea, .score").map((part) => ({
    part,
    top: part.scrollTop,
    left: part.scrollLeft,
  }));
  place.replaceChildren(screen);
  before.remove();
  for (const { part, top, left } of scrolled) part.scrollTo(left, top);
  if (activeElement instanceof HTMLElement && screen.contains(activeElement)) {
    activeElement.focus({ preventScroll: true });
  }
};
