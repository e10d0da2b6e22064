// The workspace for one pair: scores what is typed, shows where rows of the tree stand in the editors, makes and opens links.
(() => {
  const PAUSE = 300, PATIENCE = 1000;  // milliseconds until what was typed is scored, and until Cancel can be pressed
  const SIDES = ["truth", "prediction"];

  const lineAt = (text, offset) => text.slice(0, offset).split("\n").length - 1;

  class Editor {
    constructor(element, changed, pointed) {
      this.area = element.querySelector("textarea");
      this.lines = element.querySelector(".ws-lines");
      this.mark = element.querySelector(".ws-mark");
      this.fault = element.querySelector(".ws-fault");
      this.spans = {};  // where values stand in the text, as the server says
      this.area.addEventListener("input", () => { this.count(); this.unmark(); changed(); });
      this.area.addEventListener("scroll", () => this.align());
      for (const kind of ["click", "keyup"]) {
        this.area.addEventListener(kind, (event) => {
          if (kind === "click" || /^(Arrow|Home|End|Page)/.test(event.key)) pointed(this);
        });
      }
      this.count();
    }

    get text() { return this.area.value; }

    // What the visitor can undo: setting the value would forget what was typed before.
    replace(text) {
      this.area.focus({ preventScroll: true });
      this.area.select();
      const undoable = text.length < 100000 && document.execCommand(text ? "insertText" : "delete", false, text);
      if (!undoable || this.area.value !== text) this.area.value = text;
      this.area.setSelectionRange(0, 0);
      this.area.scrollTop = 0;
      this.count();
      this.unmark();
    }

    count() {
      const total = this.text.split("\n").length;
      if (total === this.total) return;
      this.total = total;
      this.lines.textContent = total > 20000 ? "" : Array.from({ length: total }, (_, line) => line + 1).join("\n");
    }

    get height() { return parseFloat(getComputedStyle(this.area).lineHeight); }

    align() {
      this.lines.style.transform = `translateY(${-this.area.scrollTop}px)`;
      this.mark.style.transform = `translateY(${-this.area.scrollTop}px)`;
    }

    unmark() { this.mark.hidden = true; }

    // Show the lines of a value, and scroll to them.
    show(position) {
      const span = this.spans[position];
      if (!span) { this.unmark(); return; }
      const [first, last] = span.map((offset) => lineAt(this.text, offset));
      const padding = parseFloat(getComputedStyle(this.area).paddingTop);
      Object.assign(this.mark.style, { top: `${padding + first * this.height}px`, height: `${(last - first + 1) * this.height}px` });
      this.mark.hidden = false;
      this.mark.dataset.lines = `${first + 1}-${last + 1}`;
      const top = padding + first * this.height, room = this.area.clientHeight;
      if (top < this.area.scrollTop || top + this.height > this.area.scrollTop + room) this.area.scrollTop = top - room / 3;
      this.align();
    }

    // The positions of the values around the caret, innermost first.
    positions() {
      const at = this.area.selectionStart;
      return Object.entries(this.spans).filter(([, [start, end]]) => start <= at && at <= end).sort(([, a], [, b]) => (a[1] - a[0]) - (b[1] - b[0])).map(([position]) => position);
    }
  }

  window.docscoreWorkspace = (root, server) => {
    const workspace = root.querySelector(".ws");
    const part = (name) => workspace.querySelector(`#pair-${name}`);
    const settings = JSON.parse(workspace.dataset.settings);
    const result = part("result"), status = part("status"), stop = part("stop");
    const scores = window.docscoreAsker((question) => server.score_workspace(question));
    let timer = null, patience = null, copied = "";

    const editors = Object.fromEntries(SIDES.map((side) => [side, new Editor(part(side), () => changed(), (editor) => pointed(side, editor))]));

    const options = window.docscoreOptions(workspace);
    const request = () => ({
      truth: editors.truth.text,
      prediction: editors.prediction.text,
      reading: part("reading").value,
      metric: part("metric").value,
      options: options.read(),
    });

    const setStatus = (text, alert = false) => {
      status.textContent = text;
      status.classList.toggle("ws-alert", alert);
    };

    const hideUnused = () => options.show(part("metric").value);

    const changed = () => {
      scores.forget();
      copied = "";
      if (result.childElementCount) {
        result.dataset.stale = "";
        setStatus("Changed since this result; scoring …");
      }
      clearTimeout(timer);
      timer = setTimeout(score, PAUSE);
    };

    const score = async () => {
      clearTimeout(timer);
      clearTimeout(patience);
      patience = setTimeout(() => { stop.disabled = false; setStatus("Scoring … this takes longer than usual; Cancel stops it."); }, PATIENCE);
      result.setAttribute("aria-busy", "true");
      const found = await scores.ask(request());
      if (!found) return;
      clearTimeout(patience);
      stop.disabled = true;
      result.removeAttribute("aria-busy");
      show(found);
    };

    const show = (found) => {
      const faults = found.faults ?? [];
      SIDES.forEach((side, at) => {
        const { text = "", line, column } = faults[at] ?? {};
        editors[side].fault.textContent = line ? `line ${line}, column ${column}: ${text}` : text;
        editors[side].area.setAttribute("aria-invalid", String(Boolean(faults[at])));
        editors[side].spans = found.spans?.[at] ?? {};
      });
      if (found.refused || faults.some(Boolean)) {
        result.dataset.stale = "";
        const before = result.childElementCount ? " The result shown is that of the pair before." : "";
        setStatus((found.refused ? `Not scored: ${found.refused}.` : "Not scored.") + before, true);
        return;
      }
      delete result.dataset.stale;
      const hidden = [...result.querySelectorAll(".anls-legend input:not(:checked)")].map((part) => part.className);
      result.innerHTML = found.result;
      for (const name of hidden) result.querySelector(`.${name}`)?.click();
      part("json").textContent = found.raw;
      part("python").textContent = found.python;
      setStatus([copied, found.note].filter(Boolean).join(" "));
    };

    const rowsOf = (side) => [...result.querySelectorAll(`.anls-row[data-${side}]`)];

    const here = (row) => {
      result.querySelector(".ws-here")?.classList.remove("ws-here");
      row?.classList.add("ws-here");
    };

    // A row was chosen: its lines in both editors.
    const chosen = (row) => {
      here(row);
      for (const side of SIDES) editors[side].show(row.dataset[side]);
    };

    // The caret moved: the innermost row that holds it, and its lines in the other editor.
    const pointed = (side, editor) => {
      const rows = new Map(rowsOf(side).map((row) => [row.dataset[side], row]));
      const row = editor.positions().map((position) => rows.get(position)).find(Boolean);
      if (!row || "stale" in result.dataset) return;
      for (let above = row.parentElement; above && above !== result; above = above.parentElement) {
        if (above.tagName === "DETAILS" && above.firstElementChild !== row) above.open = true;
      }
      here(row);
      const other = SIDES.find((each) => each !== side);
      editors[other].show(row.dataset[other]);
      editor.show(row.dataset[side]);
      const top = row.offsetTop - result.offsetTop;
      if (top < result.scrollTop || top + row.offsetHeight > result.scrollTop + result.clientHeight) {
        result.scrollTop = top - result.clientHeight / 3;
      }
    };

    for (const kind of ["click", "focusin"]) {
      result.addEventListener(kind, (event) => {
        const row = event.target.closest?.(".anls-row:not(.anls-header)");
        if (row) chosen(row);
      });
    }

    const take = (values) => {
      options.take(values.options);
      for (const name of ["metric", "reading"]) part(name).value = values[name];
      editors.prediction.replace(values.prediction);
      editors.truth.replace(values.truth);
      hideUnused();
      return score();
    };

    const plain = request();  // the options as the page came

    part("example").addEventListener("change", (event) => {
      const example = settings.examples[event.target.value];
      event.target.value = "";
      if (example) take({ ...plain, truth: example.truth, prediction: example.prediction }).then(() => event.target.focus());
    });

    workspace.querySelector(".ws-bar").addEventListener("input", (event) => {
      if (event.target.matches("[data-option], #pair-metric, #pair-reading")) { hideUnused(); changed(); }
    });
    part("score").addEventListener("click", score);
    stop.addEventListener("click", () => {
      stop.disabled = true;
      window.docscoreAnswer(server.stop_workspace, { window: scores.window() });
    });
    part("fold").addEventListener("click", (event) => {
      const open = event.target.getAttribute("aria-expanded") !== "true";
      event.target.setAttribute("aria-expanded", String(open));
      workspace.classList.toggle("ws-folded", !open);
    });
    workspace.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) { event.preventDefault(); score(); }
      if (event.key !== "Escape") return;
      for (const side of SIDES) editors[side].unmark();
      here(null);
      if (!stop.disabled) stop.click();
    });

    part("link").addEventListener("click", async () => {
      const link = new URL(await window.docscoreLinks.toHash(request()), location.href).href;
      history.replaceState(null, "", link);
      copied = await window.docscoreLinks.copy(link);
      setStatus(copied);
    });

    window.docscorePane(result);
    hideUnused();
    show(settings.first);
    const follow = async () => {
      let link;
      try { link = await window.docscoreLinks.fromHash(location.hash, settings.longest); }
      catch (error) { setStatus(`This link was not opened: ${error.message}.`, true); return; }
      if (link === undefined) return;
      const found = await window.docscoreAnswer(server.open_link, { link });
      if (found.refused) { setStatus(`This link was not opened: ${found.refused}.`, true); return; }
      document.getElementById("tab-pair-button")?.click();
      await take(found);
    };
    window.addEventListener("hashchange", follow);
    follow().finally(() => { workspace.dataset.ready = ""; });
  };
})();
