// Runs of the tabs for files: Cancel is there while one runs, and a result that is no longer that of the inputs says so.
window.docscoreRuns = (() => {
  const RESULTS = { file: "file-summary", systems: "systems-result" };
  const tabs = {};
  // How often the inputs of a tab were changed: until now, until its last run began, and until that of its result began.
  const of = (tab) => tabs[tab] ??= { now: 0, begun: 0, shown: 0 };

  const mark = (tab) => {
    const { now, shown } = of(tab), result = document.getElementById(RESULTS[tab]);
    const isOld = now !== shown && Boolean(result?.querySelector(".anls-tree"));
    result?.toggleAttribute("data-stale", isOld);
    const line = document.querySelector(`#${tab}-changed .run-changed`);
    if (line) line.textContent = isOld ? line.dataset.words : "";
  };

  // A result that cannot be seen, or only below, is brought into view.
  const bring = (tab) => {
    const result = document.getElementById(RESULTS[tab]);
    if (!result?.querySelector(".anls-tree")) return;
    if (tab === "file") window.docscoreWizard.fold();
    const { top } = result.getBoundingClientRect();
    if (top < 0 || top > window.innerHeight / 2) result.scrollIntoView({ block: "start" });
  };

  const run = (tab, isRunning) => document.getElementById(`${tab}-stop`).toggleAttribute("data-running", isRunning);

  const changed = (tab) => { of(tab).now += 1; mark(tab); };

  // gradio has no event for what is typed into a text that it showed later; its id begins with the name of the tab.
  document.addEventListener("input", (event) => {
    const text = event.target.closest?.(".run-text");
    if (text) changed(text.id.split("-")[0]);
  });

  return {
    changed,
    begin: (tab, inputs) => { of(tab).begun = of(tab).now; run(tab, true); return inputs; },
    arrived: (tab) => {
      of(tab).shown = of(tab).begun;
      mark(tab);
      bring(tab);
    },
    ended: (tab) => run(tab, false),
  };
})();
