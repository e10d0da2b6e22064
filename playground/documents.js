// The documents of a scored test set: causes and fields as filters, a list to move through, the tree of the chosen one.
// A link is data from a stranger: its length and the type of every part are checked before use.
(() => {
  const PREFIX = "#documents=";
  const EXAMPLE = "example";  // in a link in place of the name of a result
  const LONGEST_LINK = 2000;  // characters
  const PAUSE = 200;  // milliseconds until what was typed is looked for
  const HEIGHT = 44, BEYOND = 8;  // pixels of a row of the list, and rows that are drawn above and below what is seen
  const MOST_FIELDS = 300;  // fields that are drawn
  const IMAGES = ["image/png", "image/jpeg", "image/gif", "image/webp"];
  const NOTHING = { document: null, row: null, cause: null, field: null, find: "", sort: "loss" };
  const narrow = window.matchMedia("(max-width: 700px)");
  const answered = window.docscoreAnswer;
  const collator = new Intl.Collator(undefined, { numeric: true });

  const sorts = {
    loss: (all) => (a, b) => all.lost(b) - all.lost(a) || a - b,
    score: (all) => (a, b) => all.documents[b][1] - all.documents[a][1] || a - b,
    id: (all) => (a, b) => collator.compare(all.documents[a][0], all.documents[b][0]) || a - b,
    file: () => (a, b) => a - b,
  };

  const isNumber = (value) => /^\d{1,7}$/.test(value);
  const is = {
    documents: (value) => /^(example|[\w-]{22})$/.test(value),
    document: isNumber,
    row: isNumber,
    field: isNumber,
    cause: (value) => /^[a-z ]{1,40}$/.test(value),
    find: (value) => value.length <= 200,
    sort: (value) => Object.hasOwn(sorts, value),
  };
  const numbers = ["document", "row", "field"];

  // The view of a link, null if the hash is no link of ours; an Error with a sentence for what is not accepted.
  const fromHash = (hash) => {
    if (!hash.startsWith(PREFIX)) return null;
    if (hash.length > LONGEST_LINK) throw new Error("it is longer than a link of this page");
    const found = {};
    for (const [name, value] of new URLSearchParams(hash.slice(1))) {
      if (!Object.hasOwn(is, name) || Object.hasOwn(found, name)) throw new Error("it holds more than a view of documents");
      if (!is[name](value)) throw new Error(`its ${name} is not what this page takes`);
      found[name] = numbers.includes(name) ? Number(value) : value;
    }
    return { ...NOTHING, ...found };
  };

  const toHash = (view) => {
    const parts = new URLSearchParams({ documents: view.documents });
    for (const [name, usual] of Object.entries(NOTHING)) if (view[name] !== usual) parts.set(name, view[name]);
    return `#${parts}`;
  };

  const createElement = (tag, name, text = "") => {
    const element = document.createElement(tag);
    element.className = name;
    element.textContent = text;
    return element;
  };

  const points = (lost) => (lost < 0.0005 ? (lost > 0 ? "<0.001" : "0.000") : `−${lost.toFixed(3)}`);
  const shown = (score) => (score > 0 && score < 1 ? Math.min(Math.max(score, 0.001), 0.999) : score).toFixed(3);
  const counted = (count, word) => `${count.toLocaleString("en")} ${word}${count === 1 ? "" : "s"}`;
  const stem = (name) => name.toLowerCase().split(/[\\/]/).pop().replace(/\.[a-z]{3,4}$/, "");

  // What the server sent of a test set, and sums over it.
  class Listing {
    constructor(text) { Object.assign(this, JSON.parse(text)); this.view = NOTHING; this.found = null; }

    get causeNumber() { return this.causes.findIndex(([name]) => name === this.view.cause); }

    matches([field, cause], { byCause = true, byField = true } = {}) {
      const { view } = this;
      return (!byCause || view.cause === null || cause === this.causeNumber) && (!byField || view.field === null || field === view.field);
    }

    lost(number) {
      const [, score, losses] = this.documents[number];
      if (this.view.cause === null && this.view.field === null) return 1 - score;
      return losses.reduce((sum, loss) => (this.matches(loss) ? sum + loss[2] : sum), 0);
    }

    hasText(number) {
      const { find } = this.view;
      return !find || this.documents[number][0].toLowerCase().includes(find.toLowerCase()) || Boolean(this.found?.has(number));
    }

    chosen() {
      const all = [...this.documents.keys()].filter((number) => this.hasText(number));
      const filtered = this.view.cause === null && this.view.field === null ? all : all.filter((number) => this.lost(number) > 0);
      return filtered.sort(sorts[this.view.sort](this));
    }

    // Points of the mean and documents by the field (part 0) or the cause (part 1) of losses, most points first.
    sums(part, only) {
      const found = new Map();
      this.documents.forEach(([, , losses], number) => {
        if (!this.hasText(number)) return;
        const seen = new Set();
        for (const loss of losses) {
          if (!this.matches(loss, only)) continue;
          const sum = found.get(loss[part]) ?? { key: loss[part], lost: 0, documents: 0 };
          sum.lost += loss[2] / this.documents.length;
          if (!seen.has(loss[part])) sum.documents += 1;
          seen.add(loss[part]);
          found.set(loss[part], sum);
        }
      });
      return [...found.values()].sort((a, b) => b.lost - a.lost);
    }

    // What in a view this test set lacks, or "".
    misfit(view) {
      if (view.cause !== null && !this.causes.some(([name]) => name === view.cause)) return "cause";
      if (view.field !== null && view.field >= this.fields.length) return "field";
      return view.document !== null && view.document >= this.documents.length ? "document" : "";
    }
  }

  window.docscoreDocuments = ({ element, server, props, watch, restore }) => {
    const root = element.querySelector(".dw");
    const part = (name) => element.querySelector(`.dw-${name}`);
    const [list, room, tree, page, find, sort] = ["list", "room", "tree", "page", "find", "sort"].map(part);
    const added = new Map();  // images of the visitor by the stems of their names; they stay in the browser
    let all = null, run = "", view = { ...NOTHING }, order = [], opening = null, timer = null, looked = "";
    let drawn = null, answer = null, loading = false, filtersDrawn = [], before = null;

    const setStatus = (text) => { part("status").textContent = text; };
    const notice = (text) => { part("notice").textContent = text; };
    const depth = () => history.state?.documents ?? 0;

    const write = (how) => {
      const state = { documents: how === "push" ? depth() + 1 : depth() };
      try { history[how === "push" ? "pushState" : "replaceState"](state, "", toHash(view)); }
      catch { /* some browsers refuse more than a hundred changes in half a minute; a later one tells the same */ }
    };

    const go = (changes, how = "replace") => {
      setStatus("");
      view = { ...view, ...changes };
      write(how);
      draw();
    };

    // Causes, fields, list and document of the view; on a wide screen some document is always chosen.
    const draw = () => {
      all.view = view;
      look();
      order = all.chosen();
      if (!narrow.matches && !order.includes(view.document)) {
        view = { ...view, document: order[0] ?? null, row: null };
        all.view = view;
        write("replace");
      }
      if (find.value !== view.find) find.value = view.find;
      sort.value = view.sort;
      drawFilters();
      drawChips();
      const filtered = order.length < all.documents.length;
      part("count").textContent = `${filtered ? `${order.length.toLocaleString("en")} of ` : ""}${counted(all.documents.length, "document")}`;
      root.dataset.view = view.document === null ? "list" : "document";
      room.style.height = `${order.length * HEIGHT}px`;
      room.replaceChildren();
      reveal();
      drawRows();
      drawDocument();
    };

    // A button that sets a filter, or takes it away: what loses the points, how many, and in how many documents.
    const filterButton = (filter, value, { key, lost, documents }, most, { name, title, of = "" }) => {
      const button = createElement("button", "dw-pick"), pressed = view[filter] === value;
      button.type = "button";
      button.title = title;
      button.dataset.key = key;
      button.setAttribute("aria-pressed", String(pressed));
      const bar = createElement("span", "dw-bar-of");
      bar.append(createElement("span", ""));
      bar.firstChild.style.width = `${(100 * lost) / most}%`;
      button.append(createElement("span", "dw-points", points(lost)), bar, createElement("bdi", "dw-name", name), createElement("span", "dw-of", of ? `${documents.toLocaleString("en")} of ${of}` : counted(documents, "document")));
      // A new filter shows its first document; without it the document stays.
      const then = pressed ? { [filter]: null, row: null } : { [filter]: value, row: null, document: null };
      button.addEventListener("click", () => go(then, "push"));
      const item = createElement("li", "");
      item.append(button);
      return item;
    };

    const drawFilters = () => {
      const now = [all, view.cause, view.field, view.find, all.found];
      if (now.every((part, at) => part === filtersDrawn[at])) return;
      const others = [[1, "fields"], [2, "causes"]].filter(([at]) => now[at] !== filtersDrawn[at]).map(([, name]) => name);
      filtersDrawn = now;
      const active = document.activeElement, held = active?.matches(".dw-pick") ? [active.closest("ul"), active.dataset.key] : null;
      const causes = all.sums(1, { byCause: false }), fields = all.sums(0, { byField: false });
      part("causes").replaceChildren(...causes.map((sum) => {
        const [name, title] = all.causes[sum.key];
        return filterButton("cause", name, sum, causes[0].lost, { name, title });
      }));
      part("fields").replaceChildren(...fields.slice(0, MOST_FIELDS).map((sum) => {
        const name = all.fields[sum.key], of = all.holding[sum.key], title = `${name}, in ${counted(of, "document")}`;
        return filterButton("field", sum.key, sum, fields[0].lost, { name, title, of: of.toLocaleString("en") });
      }));
      if (fields.length > MOST_FIELDS) part("fields").append(createElement("li", "dw-more", `and ${counted(fields.length - MOST_FIELDS, "field")} with less`));
      if (!causes.length) part("causes").append(createElement("li", "dw-more", "No points were lost."));
      root.classList.toggle("dw-lossless", !causes.length);
      for (const name of others) part(name).scrollTop = 0;
      held?.[0].querySelector(`[data-key="${held[1]}"]`)?.focus({ preventScroll: true });
    };

    const filters = () => [
      ["cause", view.cause, `cause: ${view.cause}`],
      ["field", view.field, `field: ${all.fields[view.field]}`],
      ["find", view.find || null, `text: ${view.find}`],
    ].filter(([, value]) => value !== null);

    const drawChips = () => {
      part("chips").replaceChildren(...filters().map(([name, , text]) => {
        const chip = createElement("button", "page-button dw-chip");
        chip.type = "button";
        chip.append(createElement("bdi", "", text), createElement("span", "", " ×"));
        chip.setAttribute("aria-label", `Remove the filter by ${text}`);
        chip.addEventListener("click", () => { go({ [name]: NOTHING[name] }, "push"); list.focus({ preventScroll: true }); });
        return chip;
      }));
    };

    const reveal = () => {
      const top = order.indexOf(view.document) * HEIGHT;
      if (top < 0) return;
      if (top < list.scrollTop) list.scrollTop = top;
      if (top + HEIGHT > list.scrollTop + list.clientHeight) list.scrollTop = top + HEIGHT - list.clientHeight;
    };

    // Rows that are still seen stay the same elements: one that a visitor is pressing must not be replaced.
    const drawRows = () => {
      const first = Math.max(0, Math.floor(list.scrollTop / HEIGHT) - BEYOND);
      const last = Math.min(order.length, Math.ceil((list.scrollTop + list.clientHeight) / HEIGHT) + BEYOND);
      const seen = order.slice(first, last), still = new Set(seen);
      for (const row of [...room.children]) if (!still.has(Number(row.dataset.number))) row.remove();
      let here = room.firstElementChild;
      seen.forEach((number, at) => {
        if (Number(here?.dataset.number) === number) here = here.nextElementSibling;
        else room.insertBefore(rowOf(number, first + at), here);
      });
      if (order.includes(view.document)) list.setAttribute("aria-activedescendant", `dw-option-${view.document}`);
      else list.removeAttribute("aria-activedescendant");
    };

    const rowOf = (number, at) => {
      const [name, score, losses] = all.documents[number];
      const row = createElement("div", "dw-row"), lost = all.lost(number);
      row.id = `dw-option-${number}`;
      row.dataset.number = number;
      row.style.top = `${at * HEIGHT}px`;
      row.setAttribute("role", "option");
      row.setAttribute("aria-selected", String(number === view.document));
      row.setAttribute("aria-setsize", order.length);
      row.setAttribute("aria-posinset", at + 1);
      const why = mainLoss(losses.filter((loss) => all.matches(loss)));
      row.title = why;
      row.append(createElement("bdi", "dw-id", name), createElement("span", "dw-score", shown(score)), createElement("span", "dw-why", why), createElement("span", "dw-lost", points(lost)));
      return row;
    };

    const mainLoss = (losses) => {
      const sums = new Map();
      for (const [, cause, lost] of losses) sums.set(cause, (sums.get(cause) ?? 0) + lost);
      const [cause, most] = [...sums].sort((a, b) => b[1] - a[1])[0] ?? [];
      if (cause === undefined) return "";
      const own = sums.size > 1 ? ` ${points(most)}` : "";  // of several causes, what this one costs
      const [[field], ...others] = losses.filter((loss) => loss[1] === cause).sort((a, b) => b[2] - a[2]);
      return `${all.causes[cause][0]}${own}: ${all.fields[field]}${others.length ? ` and ${counted(others.length, "other field")}` : ""}`;
    };

    // Documents whose values hold the text: the server looks, the ids are looked at here.
    const look = () => {
      if (view.find === looked) return;
      looked = view.find;
      all.found = null;
      clearTimeout(timer);
      if (looked) timer = setTimeout(async () => {
        const of = all, text = looked, found = await answered(server.find_documents, { run, text });
        if (all !== of || text !== looked) return;
        if (found.refused) { setStatus(found.refused); return; }
        all.found = new Set(found.numbers);
        draw();
      }, PAUSE);
    };

    // The newest choice wins; what was chosen meanwhile is loaded when the answer before it has come.
    const drawDocument = async () => {
      if (loading) return;
      loading = true;
      try {
        while (view.document !== null && drawn !== `${run} ${view.document}`) {
          const wanted = `${run} ${view.document}`, number = view.document;
          tree.dataset.stale = "";
          const found = await answered(server.read_document, { run, number });
          if (wanted !== `${run} ${view.document}`) continue;
          const inside = tree.contains(document.activeElement) && document.activeElement !== tree;
          drawn = wanted;
          answer = found.refused ? null : found;
          if (found.refused) tree.replaceChildren(createElement("p", "anls-fault", found.refused));
          else tree.innerHTML = found.html;  // of the server's templates, which escape every value
          tree.scrollTop = 0;
          if (inside) tree.focus({ preventScroll: true });
          drawPage();
        }
      } finally {
        loading = false;
        delete tree.dataset.stale;  // also where the choice went back to what is drawn
      }
      if (view.document === null) { drawn = null; answer = null; tree.replaceChildren(); drawPage(); }
      drawHits();
    };

    const rowElement = (number) => tree.querySelector(`#document-${number}`);

    const unfold = (row) => {
      for (let above = row.parentElement; above !== tree; above = above.parentElement) if (above.tagName === "DETAILS") above.open = true;
    };

    const scrollTo = (row) => {
      const box = row.getBoundingClientRect(), pane = tree.getBoundingClientRect();
      if (box.top < pane.top + 30 || box.bottom > pane.bottom) tree.scrollTop += box.top - pane.top - pane.height / 3;
    };

    // Mark the rows of the tree that the filters mean, open what holds them, and go to the row of the view.
    const drawHits = () => {
      for (const row of tree.querySelectorAll(".dw-hit, .dw-here")) row.classList.remove("dw-hit", "dw-here");
      if (!answer) return;
      const filtered = view.cause !== null || view.field !== null;
      const hits = filtered ? answer.marks.filter(([, field, cause]) => all.matches([field, cause])) : [];
      const rows = hits.map(([row]) => rowElement(row)).filter(Boolean);
      for (const row of rows) row.classList.add("dw-hit");
      const here = view.row === null ? null : rowElement(view.row);
      here?.classList.add("dw-here");
      for (const row of [...rows, here]) if (row) unfold(row);
      const first = here ?? rows[0];
      if (first) scrollTo(first);
    };

    const drawPage = () => {
      const [name, , , named] = view.document === null ? ["", 0, [], ""] : all.documents[view.document];
      const file = added.get(stem(named)) ?? added.get(stem(name));
      const old = page.querySelector("img");
      if (old?.src.startsWith("blob:")) URL.revokeObjectURL(old.src);
      page.replaceChildren();
      page.hidden = view.document === null || !(answer?.image || file || named || added.size);
      root.classList.toggle("dw-paged", !page.hidden);
      if (page.hidden) return;
      if (file || answer?.image) {
        const image = createElement("img", "");
        image.alt = `Page of ${name}`;
        image.src = file ? URL.createObjectURL(file) : answer.image;
        page.append(image);
      } else if (named) {
        page.append(createElement("p", "", "The file names this image:"), createElement("p", "dw-named", named),
          createElement("p", "", "Nothing is loaded from an address in a file. Add the image above; it stays in your browser."));
      } else {
        page.append(createElement("p", "", "None of the images that you added has the name of this document."));
      }
    };

    const move = (step) => {
      const at = order.indexOf(view.document);
      const next = order[Math.min(Math.max(at + step, 0), order.length - 1)];
      if (next !== undefined && next !== view.document) go({ document: next, row: null });
    };

    const open = (number) => {
      go({ document: number, row: null }, narrow.matches && view.document === null ? "push" : "replace");
      if (narrow.matches) { tree.focus({ preventScroll: true }); root.querySelector(".dw-panes").scrollIntoView({ block: "start" }); }
    };

    const back = () => {
      if (depth() > 0) history.back();
      else if (narrow.matches && view.document !== null) go({ document: null, row: null });
      else if (filters().length) { const [name] = filters().at(-1); go({ [name]: NOTHING[name] }); }
      list.focus({ preventScroll: true });
    };

    const keys = {
      j: () => move(1),
      k: () => move(-1),
      "/": () => find.focus(),
    };
    const listKeys = {
      ArrowDown: () => move(1),
      ArrowUp: () => move(-1),
      PageDown: () => move(Math.max(1, Math.floor(list.clientHeight / HEIGHT))),
      PageUp: () => move(-Math.max(1, Math.floor(list.clientHeight / HEIGHT))),
      Home: () => move(-order.length),
      End: () => move(order.length),
      Enter: () => (view.document === null ? open(order[0]) : tree.querySelector(".anls-row[id]")?.focus()),
    };

    root.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey || !all) return;
      const { target, key } = event, typing = target.matches("input, select");
      if (key === "Escape") {
        if (target === find && find.value) return;  // the browser empties it
        event.preventDefault();
        if (!narrow.matches && tree.contains(target)) list.focus();
        else back();
        return;
      }
      if (target === find && (key === "Enter" || key === "ArrowDown")) { event.preventDefault(); list.focus(); }
      const act = typing ? null : keys[key] ?? (target === list ? listKeys[key] : null);
      if (!act) return;
      event.preventDefault();
      act();
    });

    window.docscorePane(tree);
    list.addEventListener("scroll", drawRows, { passive: true });
    new ResizeObserver(() => { if (all) drawRows(); }).observe(list);
    list.addEventListener("click", (event) => {
      const row = event.target.closest(".dw-row");
      if (row) open(Number(row.dataset.number));
    });
    for (const kind of ["click", "focusin"]) {
      tree.addEventListener(kind, (event) => {
        const row = event.target.closest(".anls-row[id]");
        if (!row || loading) return;
        tree.querySelector(".dw-here")?.classList.remove("dw-here");
        row.classList.add("dw-here");
        view = { ...view, row: Number(row.id.split("-").pop()) };
        write("replace");
      });
    }
    find.addEventListener("input", () => go({ find: find.value, row: null }));
    sort.addEventListener("input", () => go({ sort: sort.value }));
    part("back").addEventListener("click", back);

    part("images").addEventListener("change", (event) => {
      const files = [...event.target.files].filter((file) => IMAGES.includes(file.type));
      for (const file of files) added.set(stem(file.name), file);
      const named = all.documents.filter(([name, , , image]) => added.has(stem(name)) || added.has(stem(image))).length;
      setStatus(`${counted(files.length, "image")} added, for ${counted(named, "document")}; they stay in your browser.`);
      event.target.value = "";
      drawPage();
    });

    part("rows").addEventListener("click", async () => {
      const found = await answered(server.read_rows, { run, numbers: order });
      if (found.refused) { setStatus(found.refused); return; }
      const link = createElement("a", "");
      link.href = URL.createObjectURL(new Blob([found.text], { type: "application/jsonl" }));
      link.download = "documents.jsonl";
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 10000);
      setStatus(`${counted(order.length, "row")} with both sides: choose the file as predictions, alone.`);
    });

    part("link").addEventListener("click", async () => {
      const kept = view.documents === EXAMPLE ? "" : " Who has it sees these documents until an hour after they were scored.";
      setStatus(await window.docscoreLinks.copy(location.href, kept));
    });

    // Show the view of a link, or a sentence that says what in it is wrong.
    const apply = (asked) => {
      const misfit = all.misfit(asked);
      notice(misfit ? `This link was not opened as it is: its ${misfit} is not in this test set.` : "");
      view = misfit ? { ...NOTHING, documents: asked.documents, sort: asked.sort } : asked;
      write("replace");
      draw();
    };

    const follow = () => {
      let asked;
      try { asked = fromHash(location.hash); }
      catch (error) { notice(`This link was not opened: ${error.message}.`); return; }
      if (!asked) return;
      if (all && [run, view.documents].includes(asked.documents)) { apply({ ...asked, documents: view.documents }); return; }
      opening = asked;
      if (asked.documents === EXAMPLE) press("file-example");
      else restore(asked.documents);
    };

    // The view of the result before in a new one of the same documents; a filter by which none is left is taken away.
    const kept = () => {
      const isSame = before?.all.documents.length === all.documents.length && before.all.documents.every(([name], number) => name === all.documents[number][0]);
      if (!isSame) return NOTHING;
      const field = before.view.field === null ? -1 : all.fields.indexOf(before.all.fields[before.view.field]);
      all.view = { ...before.view, row: null, field: field < 0 ? null : field };
      return all.chosen().length ? all.view : { ...all.view, cause: null, field: null };
    };

    const arrived = async () => {
      const value = props.value ? JSON.parse(props.value) : null;
      root.hidden = true;
      setStatus("");
      if (all) before = { all, view };
      all = null;
      run = value?.run ?? "";
      looked = "";
      drawn = null;
      if (!value) return;
      const found = await answered(server.read_documents, { run });
      if (run !== value.run) return;
      if (found.refused) { notice(found.refused); return; }
      all = new Listing(found.text);
      root.hidden = false;
      const name = value.example ? EXAMPLE : run, asked = opening;
      opening = null;
      list.scrollTop = 0;
      apply(asked?.documents === name || asked?.documents === run ? { ...asked, documents: name } : { ...kept(), documents: name });
      if (all.left_out) setStatus(`${all.left_out.toLocaleString("en")} of the smallest losses are not listed here; the table of fields has all.`);
      if (asked) root.scrollIntoView({ block: "start" });
      root.dataset.ready = "";
    };

    watch("value", arrived);
    window.addEventListener("popstate", follow);
    if (props.value) arrived();
    else follow();
  };

  // Press a button as soon as gradio has built it.
  const press = (id) => {
    const button = document.getElementById(id);
    if (button) button.click();
    else requestAnimationFrame(() => press(id));
  };

  // A link to documents opens their tab, which builds the rest when it is first shown.
  const openTab = () => { if (location.hash.startsWith(PREFIX)) press("tab-file-button"); };
  openTab();
  window.addEventListener("popstate", openTab);
})();
