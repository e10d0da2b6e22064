"""Links made by chance, read by the page's own script in a browser: the values of a pair, or a sentence."""

from __future__ import annotations

import base64
import json
import random
import zlib
from typing import Any

from playwright.sync_api import Browser

from playground.pair import METRICS, NUMBERS, READINGS, RULES, PairRequest
from tests import browser
from tests.conftest import ROOT
from tests.structures import random_prediction

chromium = browser.chromium

LINKS = 400
LONGEST = 1000  # characters of a text
CHOICES = {"reading": list(READINGS), "metric": list(METRICS), "rules": list(RULES), "numbers": list(NUMBERS)}
RIGHT: list[Any] = ['"a"', '"b"', 0.5, True, "repair", "ANLS*", "paper", "text"]
READ = """async ([hashes, settings]) => Promise.all(hashes.map(async (hash) => {
  try { return [await docscoreLinks.fromHash(hash, settings), ""]; }
  catch (error) { return [null, `${error.constructor.name}: ${error.message}`]; }
}))"""
SENTENCES = {
    "Error: it is damaged",
    "Error: it does not hold a pair",
    "Error: it holds more text than this page takes",
    *(f"Error: its {name.replace('_', ' ')} is not what this page takes" for name in PairRequest._fields),
}


def link_by_chance(rng: random.Random) -> str:
    """A link: most hold a list like that of a pair with something else in it, some have other characters."""
    values = [
        each if rng.random() < 0.9 else random_prediction(rng, 2) for each in RIGHT[: rng.choice([8, 8, 7, 5, 4])]
    ]
    if rng.random() < 0.1:
        values[0] = "x" * rng.choice([LONGEST, LONGEST + 1, 100 * LONGEST])
    text = json.dumps(values if rng.random() < 0.9 else random_prediction(rng, 3)).encode()
    if rng.random() < 0.1:
        text = text[: rng.randrange(len(text) + 1)] + rng.randbytes(3)
    packer = zlib.compressobj(wbits=-15)
    code = bytearray(base64.urlsafe_b64encode(packer.compress(text) + packer.flush()).rstrip(b"="))
    if rng.random() < 0.2:
        code[rng.randrange(len(code))] = rng.randrange(33, 127)
    return rng.choice(["#pair="] * 9 + ["#other="]) + code.decode()


def test_links_by_chance_are_pairs_or_refused_with_a_sentence(chromium: Browser) -> None:
    rng = random.Random(1)
    hashes = [link_by_chance(rng) for _ in range(LINKS)]
    page = chromium.new_page()
    page.add_script_tag(path=ROOT / "playground" / "links.js")
    read = page.evaluate(READ, [hashes, {"longest": LONGEST, "choices": CHOICES}])
    page.close()
    found = [values for values, _ in read if values is not None]
    assert 50 < len(found) < LINKS - 50
    for values in found:
        PairRequest.of(values)  # what the browser takes the server takes
    assert {sentence for values, sentence in read if values is None} - {""} == SENTENCES - {""}
    for link, (values, sentence) in zip(hashes, read, strict=True):
        assert (values is None) == (bool(sentence) or not link.startswith("#pair=")), link
