"""Links made by chance, read by the page's own script in a browser and by the server: a pair, or a sentence."""

from __future__ import annotations

import base64
import json
import random
import zlib
from typing import Any

from playwright.sync_api import Browser

from playground.requests import PairRequest
from tests import browser
from tests.conftest import ROOT
from tests.structures import random_prediction

chromium = browser.chromium

LINKS = 400
LONGEST = 1000  # characters of a text
RIGHT: list[Any] = ['"a"', '"b"', 0.5, True, "repair", "ANLS*", "paper", "text"]
READ = """async ([hashes, longest]) => Promise.all(hashes.map(async (hash) => {
  try { return [await docscoreLinks.fromHash(hash, longest) ?? null, ""]; }
  catch (error) { return [null, `${error.constructor.name}: ${error.message}`]; }
}))"""


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


def refusal_of(value: Any) -> str:
    """What the server says of a link; "" if it holds a pair."""
    try:
        PairRequest.of_link(value)
    except ValueError as error:
        return str(error)
    return ""


def test_links_by_chance_are_pairs_or_refused_with_a_sentence(chromium: Browser) -> None:
    rng = random.Random(1)
    hashes = [link_by_chance(rng) for _ in range(LINKS)]
    page = chromium.new_page()
    for script in ("elements.js", "links.js"):
        page.add_script_tag(path=ROOT / "playground" / script)
    read = page.evaluate(READ, [hashes, LONGEST])
    page.close()
    refusals = [refusal_of(value) for value, _ in read]
    assert 50 < refusals.count("") < LINKS - 50
    assert not any("\n" in refusal for refusal in refusals)
    sentences = {"", "Error: it is damaged", "Error: it holds more text than this page takes"}
    assert {sentence for _, sentence in read} == sentences
    for link, (value, sentence) in zip(hashes, read, strict=True):
        assert not (value and sentence), link
