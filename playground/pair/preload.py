"""What child processes need, imported and used once, so that the process that they are forked from has it ready.

The works of the other tabs, which are imported beside this module, have no more to load when they are used.
"""

from docscore import evaluate
from playground.pair import pair
from playground.parts import conclusions, files
from playground.server.requests import PAIR_METRICS, PairRequest


def warm_up() -> None:
    """Score a pair by each metric, and look for a schema: what is imported when needed is then loaded."""
    for metric in PAIR_METRICS:
        pair.answer(PairRequest(truth='{"a": ["b", "c"]}', prediction='```{"a": ["d"]}```', metric=metric))
    found = evaluate(predictions=[{"a": "5 kg", "b": "1 €"}], references=[{"a": "5 kg", "b": "2 €"}])
    conclusions.what_ifs_of([found], files.check_test_set)


warm_up()
