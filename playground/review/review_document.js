// The document beside an item of a review: the images of its pages with a box around the place, and the place enlarged,
// or its text with the place marked. Where a value stands in the text is what the server says; where words stand on a
// page is in a file in hOCR, the format of Tesseract. Images stay in the browser.

/** @typedef {[left: number, top: number, right: number, bottom: number]} Box */
/** @typedef {{start: number, end: number, page: number, box: Box}} PlacedWord  a word of the text, and where it stands on the page, whose sides are 1 */
/** @typedef {{text: string, words: PlacedWord[], images: string[]}} PlacedText  with the names of the images of its pages */

/**
 * The text of a file in hOCR, a line of the page each line.
 * @type {(source: string) => PlacedText}
 */
const docscoreHocr = (source) => {
  const LINES = ".ocr_line, .ocr_header, .ocr_caption, .ocr_textfloat";
  const titleOf = (/** @type {Element} */ element) => element.getAttribute("title") ?? "";
  const boxOf = (/** @type {Element} */ element) => /\bbbox +(\S+) +(\S+) +(\S+) +([\d.-]+)/.exec(titleOf(element))?.slice(1).map(Number);
  /** @type {PlacedWord[]} */
  const words = [];
  let text = "";
  /** @type {Element | null} */
  let line = null;
  const pages = [...new DOMParser().parseFromString(source, "text/html").querySelectorAll(".ocr_page")];  // nothing of it is loaded or run
  for (const [number, page] of pages.entries()) {
    const [left, top, right, bottom] = boxOf(page) ?? [];
    for (const word of page.querySelectorAll(page.querySelector(".ocrx_word") ? ".ocrx_word" : LINES)) {  // some write lines alone
      const said = word.textContent.trim().replace(/\s+/g, " "), box = boxOf(word), of = word.closest(LINES) ?? word.parentElement;
      if (!said) continue;
      text += (!text ? "" : of === line ? " " : "\n") + said;
      line = of;
      if (!box || !(right > left && bottom > top)) continue;
      const at = box.map((value, side) => (value - (side % 2 ? top : left)) / (side % 2 ? bottom - top : right - left));
      words.push({ start: text.length - said.length, end: text.length, page: number, box: [at[0], at[1], at[2], at[3]] });
    }
  }
  return { text, words, images: pages.map((page) => /\bimage +["']?([^"';]+)/.exec(titleOf(page))?.[1] ?? "") };
};

/**
 * @typedef {object} DocumentParts
 * @property {HTMLElement} crop  where the place enlarged is drawn in the item, on a phone
 * @property {(files: File[]) => void} add  takes images and texts that the visitor chose here
 */
/** @typedef {{document: string, chosen: number | null, found: Promise<Server.Beside | Server.Refusal>}} ShownItem  the id of the document; the answer that is chosen, null to mark all values alike; what the server says of the item */
/** @typedef {{file: File, name: string, width: number, height: number, url: string} | null} Page */

/** @type {(element: HTMLElement, parts: DocumentParts) => {show: (item: ShownItem) => Promise<void>, clear: () => void, take: (files: File[]) => File[], texts: () => Promise<File | null>}} */
const docscoreReviewDocument = (element, { crop, add }) => {
  const LEAST = 0.45, MARGIN = 0.6;  // the least part of a page's width that is enlarged; space above and below the place, in its height
  const make = docscoreElement;
  /** @type {Map<string, File>} */
  const images = new Map();  // by the stems of their names
  /** @type {Map<string, File>} */
  const texts = new Map();  // by the ids of documents
  /** @type {ShownItem | null} */
  let shown = null;
  /** @type {Server.Beside | Server.Refusal | null} */
  let answer = null;
  /** @type {PlacedText | null} */
  let placed = null;
  /** @type {Page[]} */
  let pages = [];
  /** @type {{name: string | null, done: Promise<void>}} */
  let loaded = { name: null, done: Promise.resolve() };  // the document whose files are here
  let loading = 0, wanted = "", unread = "", at = 0;  // documents that were read, the view that the visitor chose, a file that is gone, the match

  const title = make("h2", ""), said = make("span", "soft t12", ""), steps = make("span", "rv-steps"), paper = make("div", "paper"), large = make("div", "rv-large");
  const views = make("span", "seg"), close = docscoreButton("btn ghost narrow-only", "Close", () => open(false));
  said.setAttribute("role", "status");
  views.setAttribute("role", "group");
  views.setAttribute("aria-label", "View of the document");
  paper.tabIndex = 0;
  paper.setAttribute("role", "region");
  element.append(make("div", "pane-title rv-paper-title", title, make("span", "grow"), said, steps, views, close), large, paper);
  const buttons = ["Image", "Text"].map((name) => docscoreButton("", name, () => { wanted = name; draw(); }));
  views.append(...buttons);
  const input = Object.assign(make("input", ""), { type: "file", accept: `${DOCSCORE_IMAGES},.txt,.hocr`, multiple: true, hidden: true });
  element.append(input);

  const isText = (/** @type {File} */ file) => /\.(txt|hocr)$/i.test(file.name);
  const isHocr = (/** @type {File} */ file) => /\.hocr$/i.test(file.name);

  /** Keep images and texts; the other files come back. */
  const take = (/** @type {File[]} */ files) => files.filter((file) => {
    loaded.name = null;
    const id = file.name.replace(/\.[^.]*$/, ""), old = texts.get(id);
    if (DOCSCORE_IMAGES.split(",").includes(file.type)) images.set(docscoreStem(file.name), file);
    else if (!isText(file)) return true;
    else if (!old || isHocr(file) || !isHocr(old)) texts.set(id, file);
    return false;
  });

  const read = async (/** @type {File} */ file) => {
    const text = await file.text();
    return isHocr(file) ? docscoreHocr(text) : { text, words: [], images: [] };
  };

  /** The texts that were taken, by document, as a file for the server. */
  const allTexts = async () => {
    if (!texts.size) return null;
    /** @type {Record<string, string>} */
    const found = {};
    for (const [id, file] of texts) found[id] = (await read(file)).text;
    return new File([JSON.stringify(found)], "texts.json", { type: "application/json" });
  };

  input.addEventListener("change", () => {
    const files = [...input.files ?? []];
    input.value = "";
    add(files);
  });

  /** The images of a document's pages: those that its text names, that of its own name, or those of its name with a number. */
  const filesOf = (/** @type {string} */ name) => {
    const stem = docscoreStem(name), own = images.get(stem);
    const ofPages = (placed?.images ?? []).map((image, number) => images.get(docscoreStem(image)) ?? (number ? undefined : own));
    if (ofPages.some(Boolean)) return ofPages;
    const numbered = [...images.keys()].filter((key) => key.startsWith(stem) && /^[-_. ]?(p|page)?[-_. ]?\d+$/.test(key.slice(stem.length)));
    return own ? [own] : numbered.sort((one, other) => one.localeCompare(other, "en", { numeric: true })).map((key) => images.get(key));
  };

  const pageOf = async (/** @type {File | undefined} */ file) => {
    if (!file) return null;
    const image = new Image(), url = URL.createObjectURL(file);
    await new Promise((done) => { image.onload = image.onerror = done; image.src = url; });
    return { file, url, name: file.name, width: image.naturalWidth, height: image.naturalHeight };
  };

  const forget = () => {
    for (const page of pages) if (page) URL.revokeObjectURL(page.url);
    pages = [];
    placed = null;
    loaded = { name: null, done: Promise.resolve() };
    loading += 1;
  };

  /** The places of the chosen answer, then those of the ground truth, each once; what the text counts as characters are units here. */
  const matches = () => {
    if (!shown || !answer || "refused" in answer || answer.text === null) return [];
    const ends = [0];
    for (const sign of answer.text) ends.push((ends.at(-1) ?? 0) + sign.length);
    const { marks } = answer, wantedMarks = shown.chosen === null ? marks.flat().sort((one, other) => one[0][0] - other[0][0]) : [...marks[1 + shown.chosen] ?? [], ...marks[0]];
    const all = wantedMarks.map((place) => place.map(([start, end]) => ({ start: ends[start], end: ends[end] })));
    /** @type {{start: number, end: number}[][]} */
    const found = [];
    for (const place of all) if (!found.some((other) => other[0].start < place[place.length - 1].end && place[0].start < other[other.length - 1].end)) found.push(place);
    return found;
  };

  /** The number of the match that is nearest to the rest of its row. */
  const nearest = () => {
    if (!answer || "refused" in answer || !answer.row.length) return 0;
    const middle = (answer.row[0][0] + answer.row[answer.row.length - 1][1]) / 2, far = matches().map(([{ start }]) => Math.abs(start - middle));
    return Math.max(0, far.indexOf(Math.min(...far)));
  };

  /** Where a place is on a page; null if that is not known. */
  const boxOf = (/** @type {{start: number, end: number}[] | undefined} */ place) => {
    if (!place || !placed || !answer || "refused" in answer || placed.text !== answer.text) return null;
    const words = placed.words.filter((word) => place.some(({ start, end }) => word.start < end && start < word.end));
    const on = words.filter((word) => word.page === words[0].page).map((word) => word.box), page = words[0] && pages[words[0].page];
    if (!page) return null;
    const least = (/** @type {number} */ side) => Math.min(...on.map((box) => box[side])), most = (/** @type {number} */ side) => Math.max(...on.map((box) => box[side]));
    const [x, y] = [least(0) * page.width, least(1) * page.height];
    return { page, number: words[0].page, x, y, width: most(2) * page.width - x, height: most(3) * page.height - y };
  };

  /** A page, or a part of it, with a box. */
  const drawPage = (/** @type {NonNullable<Page>} */ page, /** @type {ReturnType<typeof boxOf>} */ box, /** @type {string} */ label, viewBox = `0 0 ${page.width} ${page.height}`) => {
    const { width, height, url } = page, space = height / 250;
    return docscoreDrawing("svg", { class: "rv-page", viewBox, role: "img", "aria-label": label },
      docscoreDrawing("image", { href: url, width, height }),
      ...(box ? [docscoreDrawing("rect", { x: box.x - space, y: box.y - space, width: box.width + 2 * space, height: box.height + 2 * space, rx: space })] : []));
  };

  const enlarged = (/** @type {NonNullable<ReturnType<typeof boxOf>>} */ box) => {
    const { page, x, y } = box, margin = MARGIN * box.height;
    const width = Math.min(page.width, Math.max(2 * box.width, LEAST * page.width)), height = Math.min(page.height, box.height + 2 * margin);
    const left = Math.max(0, Math.min(page.width - width, x + box.width / 2 - width / 2)), top = Math.max(0, Math.min(page.height - height, y - margin));
    return drawPage(page, box, "The place, enlarged", `${left} ${top} ${width} ${height}`);
  };

  /** The lines of a text, numbered, with a place marked; of all or of those with the place. */
  const drawText = (/** @type {string} */ text, /** @type {{start: number, end: number}[]} */ place, isWhole = true) => {
    const lines = make("pre", "said-text");
    let start = 0;
    for (const [number, line] of text.split("\n").entries()) {
      const end = start + line.length, marks = place.filter((span) => span.start <= end && start < span.end), content = make("span", "");
      let from = start;
      for (const span of marks) {
        const [begin, stop] = [Math.max(start, span.start), Math.min(end, span.end)];
        content.append(text.slice(from, begin), make("mark", "", text.slice(begin, stop)));
        from = stop;
      }
      content.append(text.slice(from, end));
      if (isWhole || marks.length) lines.append(make("span", marks.length ? "on" : "", make("s", "", String(number + 1)), content));
      start = end + 1;
    }
    return lines;
  };

  const lineOf = (/** @type {string} */ text, /** @type {{start: number}[]} */ place) => text.slice(0, place[0].start).split("\n").length;

  const note = (/** @type {string} */ sentence, ask = "") => make("p", "soft t12", sentence, ...(ask ? [" ", docscoreButton("rv-add", ask, () => input.click())] : []));

  const draw = () => {
    if (!shown || !answer) return;
    const text = "refused" in answer ? null : answer.text, found = matches(), place = found[at], box = boxOf(place);
    const hasImage = pages.some((page) => page?.width), isImage = hasImage && (text === null || (wanted ? wanted === "Image" : Boolean(box) || !place));
    element.dataset.view = isImage ? "image" : "text";
    views.hidden = !hasImage || text === null;
    for (const button of buttons) button.setAttribute("aria-pressed", String((button.textContent === "Image") === isImage));
    title.textContent = isImage ? `Page ${(box?.number ?? 0) + 1} of ${pages.length}` : text === null ? "Document" : "Text";
    paper.setAttribute("aria-label", isImage ? `Pages of ${shown.document}` : `Text of ${shown.document}`);
    const line = text !== null && place ? `line ${lineOf(text, place)}` : "";
    said.textContent = text === null || !found.length ? "" : found.length > 1 ? `${at + 1} of ${found.length}` : isImage ? "" : `1 match, in ${line}`;
    if (found.length > 1 && !isImage) said.textContent += `, ${line}`;
    steps.hidden = found.length < 2;
    const images = isImage ? pages.flatMap((page, number) => (page?.width ? [{ page, svg: drawPage(page, box?.page === page ? box : null, `Page ${number + 1} of ${shown?.document}${box?.page === page ? ", the place is marked" : ""}`) }] : [])) : [];
    const broken = pages.filter((page) => page && !page.width).map((page) => note(`${page?.name} cannot be shown as an image.`));
    if (unread) broken.push(note(`${unread} cannot be read any more.`, "Choose it again"));
    const refused = "refused" in answer ? [note(docscoreSentence(answer.refused))] : [];
    const unknown = !isImage ? [] : text === null ? [note("There is no text of this document, so the place is not marked.", "Add texts")]
      : box || !found.length ? [] : [note(`The place is in ${line} of the text. To see it here, add the positions of the words in hOCR.`, "Add files")];
    const missing = hasImage || broken.length ? [] : [note("No image belongs to this document.", "Add page images")];
    const none = text !== null && !found.length ? [note("No value of this item stands in the text of this document.")] : [];
    large.replaceChildren(...(isImage && box ? [enlarged(box)] : []));
    paper.replaceChildren(...refused, ...unknown, ...none, ...images.map(({ svg }) => svg), ...(isImage || text === null ? [] : [drawText(text, place ?? [])]), ...missing, ...broken);
    drawCrop(box ? enlarged(box) : text !== null && place ? drawText(text, place, false) : null, hasImage || text !== null);
    reveal();
  };

  /** What is marked comes into view, without moving the page. */
  const reveal = () => {
    const marked = paper.querySelector("mark, rect");
    if (!marked) { paper.scrollTop = 0; return; }
    const own = marked.getBoundingClientRect(), around = paper.getBoundingClientRect();
    if (own.top < around.top || own.bottom > around.bottom) paper.scrollTop += own.top - around.top - (around.height - own.height) / 2;
  };

  /** On a phone the place stands in the item, and opens the document. */
  const drawCrop = (/** @type {Element | null} */ place, /** @type {boolean} */ hasDocument) => {
    const button = docscoreButton("rv-crop", place ? "" : "Show the document", () => open(true));
    if (place) button.append(place);
    if (place) button.setAttribute("aria-label", "The place in the document; show the document");
    crop.replaceChildren(...(hasDocument ? [button] : []));
  };

  const open = (/** @type {boolean} */ isOpen) => {
    if (isOpen) element.setAttribute("role", "dialog");
    else element.removeAttribute("role");
    if (element.classList.toggle("open", isOpen)) { draw(); close.focus(); } else crop.querySelector("button")?.focus();
  };

  const step = (/** @type {number} */ by) => { at = (at + by + matches().length) % matches().length; draw(); };
  for (const [name, by, path] of /** @type {const} */ ([["Previous match", -1, "M4.5 9.5 8 6l3.5 3.5"], ["Next match", 1, "M4.5 6.5 8 10l3.5-3.5"]])) {
    const button = docscoreButton("btn ghost icon", "", () => step(by));
    button.setAttribute("aria-label", name);
    button.append(docscoreDrawing("svg", { viewBox: "0 0 16 16", "aria-hidden": "true" }, docscoreDrawing("path", { d: path })));
    steps.append(button);
  }
  element.addEventListener("keydown", (event) => { if (event.key === "Escape" && element.classList.contains("open")) { event.stopPropagation(); open(false); } });

  /** Show the document of an item; the newest item wins. */
  const show = async (/** @type {ShownItem} */ item) => {
    shown = item;
    element.setAttribute("aria-busy", "true");
    const [found] = await Promise.all([item.found, loadOnce(item.document)]);
    if (shown !== item) return;
    answer = found;
    element.removeAttribute("aria-busy");
    at = nearest();
    draw();
  };

  const load = async (/** @type {string} */ name) => {
    const mine = loading, file = texts.get(name), found = file ? await read(file).catch(() => null) : null;
    if (mine !== loading) return;
    placed = found;
    unread = file && !found ? file.name : "";
    const drawn = await Promise.all(filesOf(name).map(pageOf));
    if (mine === loading) pages = drawn;
    else for (const page of drawn) if (page) URL.revokeObjectURL(page.url);
  };

  /** The images and the placed text of a document, which are read once as long as it is shown. */
  const loadOnce = (/** @type {string} */ name) => {
    if (loaded.name === name) return loaded.done;
    forget();
    loaded = { name, done: load(name) };
    return loaded.done;
  };

  const clear = () => {
    forget();
    shown = answer = null;
    element.classList.remove("open");
    for (const part of [large, paper, crop]) part.replaceChildren();
    title.textContent = said.textContent = "";
    views.hidden = steps.hidden = true;
  };

  clear();
  return { show, clear, take, texts: allTexts };
};
