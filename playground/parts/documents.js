// The documents of a scored test set: those that filters leave, to move through, and the tree of the chosen one. What is
// shown is the view, which stands in the address.

const docscoreDocuments = (() => {
  const EXAMPLE = "example";  // in place of the name of a result
  const PAUSE = 150;  // milliseconds until what was typed or brushed is looked for
  const HELD = 500;  // milliseconds within which the documents that a held key passes are one step of Back
  const BEYOND = 8;  // rows drawn above and below what is seen
  const { NOTHING } = docscoreViews;
  const OF_DOCUMENT = ["document", "row", "image"];
  /** @type {Partial<View>[]} */
  const FILTERS = [{ cause: null }, { field: null }, { find: "" }, { low: 0, high: 1 }];  // taken back
  const OF_ONE = ["image", "pair", "previous", "next"];  // buttons
  const narrow = window.matchMedia("(max-width: 720px)");
  const element = docscoreElement;

  /**
   * What a sentence on a choice is said with, and what is done where the server does not answer, with what asks again and the document that was not loaded.
   * @typedef {{root: HTMLElement, server: Server.Functions, say: (sentence: string) => void, fault: (found: Server.Refusal, again: (() => unknown) | null, document?: string) => void}} DocumentsPage
   */
  return (/** @type {DocumentsPage} */ { root, server, say, fault }) => {
    const part = docscoreParts(root, "#testset-");
    const list = part("list"), tree = part("tree"), find = part("find", HTMLInputElement), rail = part("rail");
    const room = docscoreFind(list, ".room");
    /** @type {Server.TestSet | null} */
    let result = null;
    /** @type {Server.Listing | null} */
    let all = null;
    /** @type {(Server.View & {of: View}) | null} */
    let shown = null;
    /** @type {Server.Document | null} */
    let answer = null;
    /** @type {number[]} */
    let order = [];
    let view = { ...NOTHING }, drawn = "", loading = false, timer = 0, moved = 0, isMoved = false, filesOf = "";
    const views = docscoreAsker(server.view_documents);
    const height = () => (narrow.matches ? 54 : 46);
    const rows = () => docscoreFindAll(room, ".doc");
    /** Of the names, scores or images of all documents that of the chosen one. */
    const ofChosen = (/** @type {string[] | undefined} */ values) => values?.[view.document ?? -1] ?? "";
    /** The result and the document that are to be drawn. */
    const chosen = () => `${result?.run} ${view.document}`;

    /** What is typed or brushed is one step of Back, however long it takes. */
    const later = (/** @type {Partial<View>} */ changes) => {
      clearTimeout(timer);
      const isOne = Object.keys(changes).some((name) => view[/** @type {keyof View} */ (name)] !== NOTHING[/** @type {keyof View} */ (name)]);
      timer = setTimeout(() => go(changes, isOne ? "replace" : "push"), PAUSE);
    };
    const treePane = docscoreTree(tree);
    const image = new PageImage(part("page"), (images) => {
      const { names, images: named } = all ?? { names: [], images: [] };
      const matched = names.filter((name, number) => image.fileOf(name, named[number])).length;
      drawPage();
      say(`${images.length} image${images.length === 1 ? "" : "s"} added, for ${matched} document${matched === 1 ? "" : "s"}.`);
    });
    const facets = new Facets(rail, (filter, name) => {
      // A new filter shows its first document; without it the document stays.
      go({ ...(filter === "cause" ? { cause: name } : { field: name }), row: null, ...(name === null ? {} : { document: null }) }, "push");
      if (narrow.matches && name !== null) seg("2");
    });
    const histogram = new Histogram(part("histogram"), (low, high) => later({ low, high }));

    const write = (how = "replace") => {
      if (!result || !docscoreIsShown("testset")) return;
      try { history[how === "push" ? "pushState" : "replaceState"]({ seg: root.dataset.seg }, "", docscoreViews.address(view)); }
      catch { /* some browsers refuse more than a hundred changes in half a minute; a later one tells the same */ }
    };

    const go = (/** @type {Partial<View>} */ changes, how = "replace") => {
      say("");
      const isOther = Object.keys(changes).some((name) => !OF_DOCUMENT.includes(name));
      view = { ...view, ...changes };
      write(how);
      if (isOther) ask();
      else draw();
    };

    /** On a phone one pane is seen. */
    const seg = (/** @type {string} */ number, how = "replace") => {
      root.dataset.seg = number;
      for (const button of docscoreFindAll(root, "[data-to-seg]")) button.setAttribute("aria-pressed", String(button.dataset.toSeg === number));
      write(how);
      drawRows();
    };

    /** Ask what the filters leave, and draw it; the newest view wins. A sentence if the server does not take the view. */
    const ask = async () => {
      if (!result || !all) return "";
      const { cause, field, find: text, sort, low, high } = view;
      root.setAttribute("aria-busy", "true");
      const found = await views.ask({ run: result.run, cause, field, find: text, sort, low, high });
      if (!found) return "";
      root.removeAttribute("aria-busy");
      if ("refused" in found) {
        if (found.kind !== "input") { fault(found, ask); return ""; }
        say(docscoreSentence(found.refused));
        return found.refused;
      }
      const wasOf = shown?.of;
      shown = { ...found, of: view };
      order = shown.order;
      room.replaceChildren();
      const count = all.names.length, isPart = order.length < count;
      facets.draw(shown, view, isPart ? null : result.intervals);
      histogram.show(shown.bins);
      part("spread").textContent = shown.spread.join("\n");
      part("interval").textContent = `${result.range}${isPart ? ` of all ${count.toLocaleString("en")}` : ""}`.trim();
      if (wasOf && (wasOf.cause !== view.cause || wasOf.find !== view.find)) list.scrollTop = 0;
      draw();
      return "";
    };

    const draw = () => {
      if (!shown || !all) return;
      if (view.document === null || !order.includes(view.document)) {
        view = { ...view, document: order[0] ?? null, row: null };
        write();
      }
      if (find.value !== view.find && document.activeElement !== find) find.value = view.find;
      histogram.set(view.low, view.high);
      part("count").textContent = shown.count;
      for (const button of docscoreFindAll(root, "[data-sort]")) button.setAttribute("aria-pressed", String(button.dataset.sort === view.sort));
      part("none").textContent = order.length ? "" : view.find ? "No document contains this text." : "No document matches these filters.";
      room.style.height = `${order.length * height()}px`;
      for (const row of rows()) row.setAttribute("aria-selected", String(Number(row.dataset.number) === view.document));
      reveal();
      drawRows();
      drawDocument();
    };

    const reveal = () => {
      const top = order.indexOf(view.document ?? -1) * height();
      if (top < 0 || narrow.matches) return;
      if (top < list.scrollTop) list.scrollTop = top;
      if (top + height() > list.scrollTop + list.clientHeight) list.scrollTop = top + height() - list.clientHeight;
    };

    /** Rows that are still seen stay the same elements: one that a visitor is pressing must not be replaced. */
    const drawRows = () => {
      if (!shown || !all) return;
      const top = (narrow.matches ? 0 : list.getBoundingClientRect().top) - room.getBoundingClientRect().top;
      const seenHeight = narrow.matches ? window.innerHeight : list.clientHeight;
      const first = Math.max(0, Math.floor(top / height()) - BEYOND);
      const last = Math.min(order.length, Math.ceil((top + seenHeight) / height()) + BEYOND);
      const seen = order.slice(first, last), still = new Set(seen);
      for (const row of rows()) if (!still.has(Number(row.dataset.number))) row.remove();
      const here = rows();
      for (const [at, number] of seen.entries()) {
        if (Number(here[0]?.dataset.number) === number) here.shift();
        else room.insertBefore(rowOf(number, first + at, all, shown), here[0] ?? null);
      }
      if (room.querySelector(`#testset-option-${view.document}`)) list.setAttribute("aria-activedescendant", `testset-option-${view.document}`);
      else list.removeAttribute("aria-activedescendant");
    };

    /** @type {(number: number, at: number, all: Server.Listing, shown: Server.View) => HTMLElement} */
    const rowOf = (number, at, { names, scores }, { why, lost, title }) => {
      const bar = element("span", "bar", document.createElement("i"));
      bar.style.setProperty("--v", scores[number]);
      const row = element("div", "doc", element("bdi", "mono cut", names[number]), bar, element("span", "num", scores[number]),
        element("small", "cut", why[at]), element("small", "num", lost[at]));
      row.id = `testset-option-${number}`;
      row.dataset.number = String(number);
      row.style.top = `${at * height()}px`;
      row.title = title[at];
      row.setAttribute("role", "option");
      row.setAttribute("aria-selected", String(number === view.document));
      row.setAttribute("aria-setsize", String(order.length));
      row.setAttribute("aria-posinset", String(at + 1));
      return row;
    };

    /** The newest choice wins; what was chosen meanwhile is loaded when the answer before it has come. Until then the tree before it stays, under its own name. */
    const drawDocument = async () => {
      if (loading) return;
      loading = true;
      try {
        while (result && view.document !== null && drawn !== chosen()) {
          const wanted = chosen();
          part("document").dataset.stale = "";
          const found = await docscoreAnswer(server.read_document, { run: result.run, number: view.document });
          if (wanted !== chosen()) continue;
          const isRefused = "refused" in found;
          if (isRefused && found.kind !== "input" && found.kind !== "limit") { fault(found, draw, ofChosen(all?.names)); return; }
          const hadFocus = tree.contains(document.activeElement);
          drawn = wanted;
          answer = isRefused ? null : found;
          showDocument(found);
          isMoved = true;
          if (hadFocus) treePane.stop()?.focus({ preventScroll: true });
          isMoved = false;
        }
      } finally {
        loading = false;
        if (drawn === chosen()) delete part("document").dataset.stale;  // the choice may have gone back to what is drawn
      }
      if (view.document === null) { [drawn, answer] = ["", null]; showDocument(null); }
      drawHits();
      drawPage();
    };

    /** Take the documents of other files off the screen. */
    const empty = () => {
      [all, shown, drawn, answer, order] = [null, null, "", null, []];
      views.forget();
      room.replaceChildren();
      part("count").textContent = "";
      showDocument(null);
      drawPage();
    };

    const showDocument = (/** @type {Server.Document | Server.Refusal | null} */ found) => {
      if (found && "refused" in found) tree.replaceChildren(element("p", "soft", docscoreSentence(found.refused)));
      else tree.innerHTML = found?.html ?? "";  // of the server's templates, which escape every value
      tree.scrollTop = 0;
      part("name").textContent = ofChosen(all?.names) || (all && "No document");
      part("of").textContent = ofChosen(all?.scores);
      part("points").textContent = tree.querySelector(".anls-detail")?.textContent.split(";")[0] ?? "";
      delete part("document").dataset.stale;
      for (const name of OF_ONE) part(name, HTMLButtonElement).disabled = !all || view.document === null;
      treePane.fresh();
    };

    const rowElement = (/** @type {number} */ number) => document.getElementById(`document-${number}`);

    const scrollTo = (/** @type {HTMLElement} */ row) => {
      const pane = docscoreFind(tree, ".anls-grid"), box = row.getBoundingClientRect(), frame = pane.getBoundingClientRect();
      if (!narrow.matches && (box.top < frame.top + 30 || box.bottom > frame.bottom)) pane.scrollTop += box.top - frame.top - frame.height / 3;
    };

    /** Mark the rows of the tree that the filters mean, open what holds them, and go to the row of the view. */
    const drawHits = () => {
      for (const row of tree.querySelectorAll(".hit")) row.classList.remove("hit");
      if (!answer) return;
      const isFiltered = view.cause !== null || view.field !== null;
      const hits = isFiltered ? answer.marks.filter(([, field, cause]) => [null, field].includes(view.field) && [null, cause].includes(view.cause)) : [];
      const marked = hits.map(([row]) => rowElement(row)).filter((row) => row !== null), here = view.row === null ? null : rowElement(view.row);
      for (const row of marked) row.classList.add("hit");
      treePane.look(here);
      for (const row of [...marked, here]) {
        for (let above = row?.parentElement; above && above !== tree; above = above.parentElement) if (above instanceof HTMLDetailsElement) above.open = true;
      }
      const first = here ?? marked[0];
      if (first) scrollTo(first);
    };

    const drawPage = () => {
      const isOpen = view.image !== "";
      part("image").setAttribute("aria-pressed", String(isOpen));
      part("document").classList.toggle("with-image", isOpen);
      if (isOpen) image.show(ofChosen(all?.names), ofChosen(all?.images), answer?.image ?? "");
      else image.hide();
    };

    const move = (/** @type {number} */ step) => {
      const next = order[Math.min(Math.max(order.indexOf(view.document ?? -1) + step, 0), order.length - 1)];
      if (next === undefined || next === view.document) return;
      const isHeld = Date.now() - moved < HELD;
      moved = Date.now();
      go({ document: next, row: null }, isHeld ? "replace" : "push");
    };

    /** Take back the filter that was set last in this order, or all. */
    const clear = (/** @type {boolean} */ isAll) => {
      const set = FILTERS.filter((without) => docscoreViews.address({ ...view, ...without }) !== docscoreViews.address(view));
      /** @type {Partial<View>} */
      const changes = Object.assign({}, ...(isAll ? set : set.slice(-1)));
      if (changes.find === "") find.value = "";
      if (set.length) go(changes, "push");
    };

    const aPage = () => Math.max(1, Math.floor(list.clientHeight / height()));
    /** @type {Record<string, () => void>} */
    const keys = { j: () => move(1), k: () => move(-1), "/": () => { if (narrow.matches) seg("2"); find.focus(); } };
    /** @type {Record<string, () => void>} */
    const listKeys = {
      ArrowDown: () => move(1), ArrowUp: () => move(-1), PageDown: () => move(aPage()), PageUp: () => move(-aPage()),
      Home: () => move(-order.length), End: () => move(order.length),
      Enter: () => { if (narrow.matches) seg("3", "push"); treePane.stop()?.focus(); },
      Escape: () => clear(false),
    };

    docscoreFind(root, ".panes").addEventListener("keydown", (event) => {
      const { target } = event;
      if (event.ctrlKey || event.metaKey || event.altKey || !(target instanceof Element) || target.matches("input")) return;
      let action = keys[event.key];
      if (target === list) action = listKeys[event.key] ?? action;
      if (tree.contains(target) && event.key === "Escape") action = () => list.focus();
      if (rail.contains(target) && event.key === "Escape") action = () => clear(false);
      if (!action) return;
      event.preventDefault();
      action();
    });
    find.addEventListener("input", () => later({ find: find.value }));
    find.addEventListener("keydown", (event) => {
      if (event.key === "Escape") { event.preventDefault(); clear(false); list.focus(); }
      if (event.key === "ArrowDown" || event.key === "Enter") { event.preventDefault(); list.focus(); }
    });
    list.addEventListener("click", (event) => {
      const row = docscoreAround(event, ".doc");
      if (!row) return;
      go({ document: Number(row.dataset.number), row: null }, "push");
      if (narrow.matches) seg("3");
    });
    list.addEventListener("scroll", drawRows);
    window.addEventListener("scroll", () => { if (narrow.matches) drawRows(); }, { passive: true });
    narrow.addEventListener("change", () => { room.replaceChildren(); draw(); });
    new ResizeObserver(drawRows).observe(list);
    for (const kind of ["click", "focusin"]) {
      tree.addEventListener(kind, (event) => {
        const row = docscoreAround(event, ".anls-row[id]"), number = Number(row?.id.split("-")[1]);
        if (row === null || number === view.row || isMoved) return;
        view = { ...view, row: number };
        treePane.look(row);
        write();
      });
    }
    root.addEventListener("click", (event) => {
      const toSeg = docscoreAround(event, "[data-to-seg]")?.dataset.toSeg, by = docscoreAround(event, "[data-sort]")?.dataset.sort;
      if (toSeg) seg(toSeg, "push");
      if (by) go({ sort: by }, "push");
    });
    part("all").addEventListener("click", () => clear(true));
    part("previous").addEventListener("click", () => move(-1));
    part("next").addEventListener("click", () => move(1));
    part("image").addEventListener("click", () => go({ image: view.image ? "" : "1" }, "push"));

    /** Show the view of a link, or say what is wrong with it and show all. */
    const apply = async (/** @type {View} */ asked) => {
      const isKnown = asked.document === null || (all !== null && asked.document in all.names);
      view = isKnown ? asked : { ...asked, document: null, row: null };
      const refused = isKnown ? await ask() : "its document is not in this test set";
      if (!refused) return;
      view = { ...NOTHING, documents: asked.documents };
      await ask();
      say(`A part of this link could not be opened: ${refused}.`);
    };

    return {
      order: () => order,
      /** The document whose tree is there, null while it is not that of the choice. */
      document: () => (drawn === chosen() ? view.document : null),
      write,
      /** A step in the history of this window. */
      follow: (/** @type {View} */ asked) => {
        seg(history.state?.seg ?? "1");
        apply({ ...asked, documents: view.documents });
      },
      isOpen: (/** @type {string} */ name) => result !== null && [result.run, view.documents].includes(name),
      /** Show a result with the view of a link, else with the view before where the files and documents are the same. */
      show: async (/** @type {Server.TestSet} */ found, /** @type {View | null} */ asked) => {
        const documents = found.example ? EXAMPLE : found.run, before = all;
        const files = JSON.stringify([found.asked.references, found.asked.predictions]), areSame = files === filesOf;
        [result, filesOf] = [found, files];
        view = { ...(asked ?? (areSame ? view : NOTHING)), documents };
        if (!areSame) empty();
        write();
        const listing = await docscoreAnswer(server.read_documents, { run: found.run });
        if ("refused" in listing) { fault(listing, null); return false; }
        [all, shown, drawn, facets.areAll] = [listing, null, "", false];
        views.forget();
        say(listing.note);
        histogram.draw(found.histogram, 0, 1);
        if (asked) await apply({ ...asked, documents });
        else {
          const isSame = areSame && before !== null && before.names.length === listing.names.length && before.names.every((name, number) => name === listing.names[number]);
          view = isSame ? { ...view, row: null, documents } : { ...NOTHING, documents };
          if (await ask() || !order.length) { view = { ...view, cause: null, field: null, low: 0, high: 1 }; await ask(); }
        }
        write();
        return true;
      },
    };
  };
})();
