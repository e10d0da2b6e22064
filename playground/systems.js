// Several systems: orders and filters the documents, and opens one of them side by side in a dialog.
(() => {
  const part = (element, name) => element.querySelector(`.sys-${name}`);
  const differences = (row) => [...row.querySelectorAll("[data-difference]")].map((cell) => Number(cell.dataset.difference));

  // A row for each document; of equal losses those that stood first stay first.
  const order = (element) => {
    const system = Number(part(element, "order").value), body = element.querySelector(".sys-documents tbody");
    const loss = (row) => (system < 0 ? Math.min(...differences(row)) : differences(row)[system]);
    body.append(...[...body.rows].sort((one, other) => loss(one) - loss(other)));
  };

  const filter = (element) => {
    const wanted = part(element, "filter").value.trim().toLowerCase();
    for (const row of element.querySelectorAll(".sys-documents tbody tr")) {
      row.hidden = !row.dataset.document.toLowerCase().includes(wanted);
    }
  };

  const fold = (button, open) => {
    button.setAttribute("aria-expanded", String(open));
    button.closest("tbody").nextElementSibling.hidden = !open;
  };

  window.docscoreSystems = (element, server) => {
    const documents = window.docscoreAsker((question) => server.open_document(question));
    let here = null;  // the button of the document that is open

    const unfold = () => {
      const open = part(element, "unfold").checked;
      for (const button of element.querySelectorAll(".sys-fold button")) fold(button, open);
    };

    const open = async (button) => {
      const dialog = part(element, "dialog"), opened = part(element, "opened"), root = element.querySelector(".sys");
      const row = button.closest("tr");
      here?.closest("tr").removeAttribute("aria-current");
      here = button;
      row.setAttribute("aria-current", "true");
      if (!dialog.open) { opened.textContent = "Loading …"; dialog.showModal(); }
      const asked = {
        run: root.dataset.run,
        base: Number(root.dataset.base),
        document: row.dataset.document,
        system: Number(button.dataset.system),
      };
      const answer = await documents.ask(asked);
      if (!answer) return;
      if (answer.refused) opened.textContent = answer.refused;
      else { opened.innerHTML = answer.html; unfold(); }
    };

    const step = (by) => {
      const rows = [...element.querySelectorAll(".sys-documents tbody tr")].filter((row) => !row.hidden);
      const next = rows[rows.indexOf(here?.closest("tr")) + by];
      if (next) open(next.querySelector(`[data-system="${here.dataset.system}"]`));
    };

    element.addEventListener("click", (event) => {
      const button = event.target.closest("button");
      if (!button) return;
      if (button.dataset.system) open(button);
      else if (button.dataset.step) step(Number(button.dataset.step));
      else if (button.classList.contains("sys-close")) part(element, "dialog").close();
      else if (button.closest(".sys-fold")) fold(button, button.getAttribute("aria-expanded") !== "true");
    });
    element.addEventListener("input", (event) => {
      if (event.target.matches(".sys-order")) order(element);
      if (event.target.matches(".sys-filter")) filter(element);
      if (event.target.matches(".sys-unfold")) unfold();
    });
    element.addEventListener("keydown", (event) => {
      if (!event.target.closest("dialog") || event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.key === "j") step(1);
      if (event.key === "k") step(-1);
    });
    element.addEventListener("close", (event) => {
      if (event.target.matches(".sys-dialog")) here?.focus();
    }, true);
  };
})();
