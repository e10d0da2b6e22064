// Elements of the page: those that a template has are found and checked, others are made.

/**
 * The first element within another that a selector means; an error where there is none of this kind.
 * @template {HTMLElement} [E=HTMLElement]
 * @param {ParentNode} root
 * @param {string} selector
 * @param {new () => E} kind
 * @returns {E}
 */
const docscoreFind = (root, selector, kind = /** @type {new () => E} */ (HTMLElement)) => {
  const element = root.querySelector(selector);
  if (element instanceof kind) return element;
  throw new TypeError(`${selector}: expected ${kind.name}, got ${element?.constructor.name ?? "nothing"}`);
};

/**
 * All of them.
 * @param {ParentNode} root
 * @param {string} selector
 */
const docscoreFindAll = (root, selector) => [...root.querySelectorAll(selector)].filter((element) => element instanceof HTMLElement);

/**
 * Finds the parts of a screen, whose selectors begin alike.
 * @param {ParentNode} root
 * @param {string} prefix
 */
const docscoreParts = (root, prefix) => {
  /**
   * @template {HTMLElement} [E=HTMLElement]
   * @param {string} name
   * @param {new () => E} [kind]
   */
  const part = (name, kind) => docscoreFind(root, prefix + name, kind);
  return part;
};

/**
 * The element that a selector means around the place of an event, or that place itself; null if there is none.
 * @param {Event} event
 * @param {string} selector
 */
const docscoreAround = ({ target }, selector) => {
  const element = target instanceof Element ? target.closest(selector) : null;
  return element instanceof HTMLElement ? element : null;
};

/**
 * A new element with a class and what is in it; texts enter as text.
 * @template {keyof HTMLElementTagNameMap} T
 * @param {T} tag
 * @param {string} name
 * @param {(string | Node)[]} content
 */
const docscoreElement = (tag, name, ...content) => {
  const element = document.createElement(tag);
  element.className = name;
  element.append(...content);
  return element;
};

/** A new element of a drawing; texts enter as text. @param {string} tag @param {Record<string, string | number>} attributes @param {(string | Node)[]} content */
const docscoreDrawing = (tag, attributes, ...content) => {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  element.append(...content);
  return element;
};

const docscoreButton = (/** @type {string} */ look, /** @type {string} */ words, /** @type {() => void} */ action) => {
  const button = docscoreElement("button", look, words);
  button.type = "button";
  button.addEventListener("click", action);
  return button;
};
