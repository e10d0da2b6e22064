// Questions to the server: each says which window asks and which of its questions it is; only the newest is answered.
(() => {
  const NO_ANSWER = "The server did not answer; try again.";
  const name = crypto.randomUUID?.() ?? String(Math.random());
  let number = 0;  // of the newest question of this window

  // What the server says to a question, or that it did not answer.
  window.docscoreAnswer = async (ask, question) => {
    try { return await ask(question); } catch { return { refused: NO_ANSWER }; }
  };

  // Asks one kind of question; the answer to an older one is null.
  window.docscoreAsker = (ask) => {
    let asked = 0, wanted = 0;  // the newest question, and that whose answer is still wanted
    return {
      forget: () => { wanted = 0; },
      window: () => [name, asked],
      ask: async (question) => {
        const mine = asked = wanted = ++number;
        const found = await window.docscoreAnswer(ask, { ...question, window: [name, mine] });
        return mine === wanted ? found : null;
      },
    };
  };
})();
