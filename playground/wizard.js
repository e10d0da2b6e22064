// The column wizard asks how chosen files are read; the strip of what-ifs asks for the score under other settings.
(() => {
  const PAUSE = 250;  // milliseconds until what was typed is scored
  window.docscoreWizard = (() => {
    let frame, status, body, looks, paths = [null, null], reading = {}, isFolded = false;

    const look = async () => {
      frame.setAttribute("aria-busy", "true");
      const [references, predictions] = paths;
      const found = await looks.ask({ references, predictions, reading });
      if (!found) return;
      frame.removeAttribute("aria-busy");
      status.textContent = found.refused ?? "";
      status.classList.toggle("wz-fault", Boolean(found.refused));
      if (found.html === undefined) return;
      const focused = body.contains(document.activeElement) ? document.activeElement : null;
      const wasOpen = body.querySelector(".wz-details")?.open;
      body.innerHTML = found.html;
      if (wasOpen) body.querySelector(".wz-details").open = true;
      if (focused) (focused.id ? document.getElementById(focused.id) : body.querySelector(focused.tagName.toLowerCase()))?.focus();
    };

    return {
      begin: (root, server) => {
        frame = root.querySelector(".wz");
        [status, body] = [frame.querySelector(".wz-status"), frame.querySelector(".wz-body")];
        looks = window.docscoreAsker((question) => server.look_at_files(question));
        body.addEventListener("change", (event) => {
          const { choice } = event.target.dataset;
          if (!choice) return;
          reading[choice] = JSON.parse(event.target.value);
          window.docscoreRuns.changed("file");
          window.docscoreWhatIfs.forget();
          look();
        });
        frame.dataset.ready = "";
      },

      files: (...files) => {
        const found = files.map((file) => file?.path ?? null);
        if (found.every((path, at) => path === paths[at])) return;
        paths = found;
        reading = reading.missing === undefined ? {} : { missing: reading.missing };
        isFolded = false;
        window.docscoreWhatIfs.forget();
        looks.forget();
        frame.hidden = !paths.some(Boolean);
        body.replaceChildren();
        status.textContent = frame.hidden ? "" : "Reading …";
        status.classList.remove("wz-fault");
        if (!frame.hidden) look();
      },

      // The first result of files folds away how they are read; who opens it again wants it open.
      fold: () => {
        if (!isFolded) body.querySelector(".wz-details")?.removeAttribute("open");
        isFolded = true;
      },

      // The inputs of the score button, in place of the first the request that they make.
      inputs: (_, references, predictions, metric, metrics, by, skip, confidences) => {
        window.docscoreWizard.files(references, predictions);  // the button may be pressed before their event arrives
        const asked = {
          references: paths[0], predictions: paths[1], reading, what_if: window.docscoreWhatIfs.adopted(),
          metrics: [metric, ...metrics.filter((name) => name !== metric)], by: by.trim(), skip, confidences,
        };
        return [JSON.stringify(asked), references, predictions, metric, metrics, by, skip, confidences];
      },
    };
  })();

  window.docscoreWhatIfs = (() => {
    const part = (name) => document.getElementById(`what-${name}`);
    let strip, options, scores, timer, request, first, tried, kept, adopted = {}, schema = "";

    const settings = () => ({ ...options.read(), schema });

    const take = (what_if) => {
      options.take(what_if);
      schema = what_if.schema;
      if (!schema) part("schema").value = "";
    };

    const isSame = (one, other) => Object.keys(one).every((name) => one[name] === other[name]);

    const setStatus = (text, fault = false) => {
      part("answer").textContent = text;
      part("answer").classList.toggle("wi-fault", fault);
    };

    const allow = (adopt, undo) => {
      part("adopt").disabled = !adopt;
      part("undo").disabled = !undo;
    };

    const ask = async () => {
      const what_if = settings(), isAdopted = Object.keys(adopted).length > 0;
      if (isSame(what_if, request.what_if)) {
        scores.forget();
        strip.removeAttribute("aria-busy");
        setStatus(isAdopted ? `${kept.text}; adopted` : "");
        allow(false, isAdopted);
        return;
      }
      strip.setAttribute("aria-busy", "true");
      setStatus("Scoring …");
      allow(false, true);
      const found = await scores.ask({ ...request, what_if, before: first });
      if (!found) return;
      strip.removeAttribute("aria-busy");
      if (found.refused) { setStatus(`Not scored: ${found.refused}`, true); return; }
      tried = { text: found.text, what_if };
      setStatus(found.text);
      allow(true, true);
    };

    const forget = () => {
      clearTimeout(timer);
      scores?.forget();
      [request, adopted] = [null, {}];
      if (strip) strip.hidden = true;
    };

    return {
      forget,
      adopted: () => adopted,

      begin: (root, server) => {
        strip = root.querySelector(".wi");
        options = window.docscoreOptions(strip);
        scores = window.docscoreAsker((question) => server.score_what_if(question));
        strip.addEventListener("input", async (event) => {
          const inTime = () => { clearTimeout(timer); timer = setTimeout(ask, PAUSE); };
          scores.forget();
          allow(false, true);
          if (event.target === part("schema")) schema = await event.target.files[0]?.text() ?? "";
          if (request) inTime();
        });
        strip.addEventListener("keydown", (event) => {
          if (event.key === "Escape" && !part("undo").disabled) part("undo").click();
        });
        part("adopt").addEventListener("click", () => {
          [adopted, kept] = [tried.what_if, tried];
          allow(false, false);
          document.getElementById("file-score").click();
        });
        part("undo").addEventListener("click", () => {
          clearTimeout(timer);
          if (!isSame(settings(), request.what_if)) {  // what was tried and not adopted
            take(request.what_if);
            ask();
          } else {
            adopted = {};
            allow(false, false);
            document.getElementById("file-score").click();
          }
        });
      },

      // A result has come, or is gone.
      scored: (element) => {
        const found = element.querySelector(".wi-scored");
        if (!strip) return;
        strip.hidden = !found;
        if (!found) return;
        const result = JSON.parse(found.dataset.result);
        request = result.asked;
        if (!Object.keys(adopted).length) first = result.before;
        options.show(request.metrics[0]);
        take(request.what_if);
        ask();
      },
    };
  })();
})();
