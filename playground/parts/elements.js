// Elements of the page: find and check elements of a template, and make new ones.

/**
 * Return the first element within another that matches a selector; throw an error if it is missing or of another kind.
 * @template {HTMLElement} [E=HTMLElement]
 * @param {ParentNode} root
 * @param {string} selector
 * @param {new () => E} kind
 * @returns {E}
 */
export const findElement = (root, selector, kind = /** @type {new () => E} */ (HTMLElement)) => {
  const element = root.querySelector(selector);
  if (element instanceof kind) return element;
  throw new TypeError(`${selector}: expected ${kind.name}, got ${element?.constructor.name ?? "nothing"}`);
};

/**
 * Return all elements within another that match a selector.
 * @param {ParentNode} root
 * @param {string} selector
 */
export const findElements = (root, selector) =>
  [...root.querySelectorAll(selector)].filter((element) => element instanceof HTMLElement);

/**
 * Return a function that finds the parts of a screen, whose selectors share a prefix.
 * @param {ParentNode} root
 * @param {string} prefix
 */
export const partsOf = (root, prefix) => {
  /**
   * @template {HTMLElement} [E=HTMLElement]
   * @param {string} name
   * @param {new () => E} [kind]
   */
  const part = (name, kind) => findElement(root, prefix + name, kind);
  return part;
};

/** Press the button whose data attribute has a value, and release the others that have the attribute. */
export const press = (
  /** @type {ParentNode} */ root,
  /** @type {string} */ name,
  /** @type {string | undefined} */ value,
) => {
  for (const button of findElements(root, `[data-${name}]`)) {
    button.setAttribute("aria-pressed", String(button.getAttribute(`data-${name}`) === value));
  }
};

/** Take the files that are dropped on an element. @type {(place: HTMLElement, take: (files: File[]) => void) => void} */
export const listenToDrops = (place, take) => {
  for (const kind of /** @type {const} */ (["dragover", "drop"])) {
    place.addEventListener(kind, (event) => {
      if (!event.dataTransfer?.types.includes("Files")) return;
      event.preventDefault();
      if (kind === "drop") take([...event.dataTransfer.files]);
    });
  }
};

/**
 * Return the nearest element that matches a selector at or around the target of an event; null if there is none.
 * @param {Event} event
 * @param {string} selector
 */
export const around = ({ target }, selector) => {
  const element = target instanceof Element ? target.closest(selector) : null;
  return element instanceof HTMLElement ? element : null;
};

/**
 * Return a new element with a class and content; strings become text nodes.
 * @template {keyof HTMLElementTagNameMap} T
 * @param {T} tag
 * @param {string} name
 * @param {(string | Node)[]} content
 */
export const newElement = (tag, name, ...content) => {
  const element = document.createElement(tag);
  element.className = name;
  element.append(...content);
  return element;
};

/**
 * Return a new SVG element; strings become text nodes.
 * @param {string} tag
 * @param {Record<string, string | number>} attributes
 * @param {(string | Node)[]} content
 */
export const newDrawing = (tag, attributes, ...content) => {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  element.append(...content);
  return element;
};

const TAIL = 8; // characters

/**
 * Return the parts of a name that loses its middle if space is narrow, since the ends of similar names differ.
 * @type {(name: string) => (string | HTMLElement)[]}
 */
export const cutName = (name) => {
  const signs = [...name];
  if (signs.length <= 2 * TAIL) return [name];
  return [newElement("span", "cut-head", signs.slice(0, -TAIL).join("")), signs.slice(-TAIL).join("")];
};

/** Return an icon of one path in a square of 16. */
export const newIcon = (/** @type {string} */ d) =>
  newDrawing("svg", { viewBox: "0 0 16 16", "aria-hidden": "true" }, newDrawing("path", { d }));

export const newButton = (
  /** @type {string} */ look,
  /** @type {string} */ words,
  /** @type {() => void} */ action,
) => {
  const button = newElement("button", look, words);
  button.type = "button";
  button.addEventListener("click", action);
  return button;
};

/**
 * Update HTML from the server's templates, which escape every value; equal elements stay.
 * @param {HTMLElement} place
 * @param {string} html
 * @param {string} cells  a selector of elements that are no stop of Tab until a pane says so
 */
export const patchHtml = (place, html, cells) => {
  const drawn = document.createElement("template");
  drawn.innerHTML = html;
  for (const cell of findElements(drawn.content, cells)) cell.tabIndex = -1;
  /** @type {(old: ParentNode & Node, fresh: ParentNode & Node) => void} */
  const redraw = (old, fresh) => {
    const before = [...old.childNodes];
    const after = [...fresh.childNodes];
    after.forEach((node, at) => {
      const known = before[at];
      if (known?.isEqualNode(node)) return;
      // The state "checked" of an input is not an attribute.
      const isPart =
        known instanceof HTMLElement &&
        node instanceof HTMLElement &&
        known.id === node.id &&
        known.tagName === node.tagName &&
        known.tagName !== "INPUT";
      if (!isPart) {
        if (known) known.replaceWith(node);
        else old.append(node);
        return;
      }
      for (const { name } of [...known.attributes]) if (!node.hasAttribute(name)) known.removeAttribute(name);
      for (const { name, value } of node.attributes) {
        if (known.getAttribute(name) !== value) known.setAttribute(name, value);
      }
      redraw(known, node);
    });
    for (const node of before.slice(after.length)) node.remove();
  };
  redraw(place, drawn.content);
};
