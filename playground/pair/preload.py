"""Import and use once what child processes need, so that the process they are forked from has it in memory.

That process also imports the functions of the other tabs, which load nothing more when they are used.
"""

from docscore import evaluate
from playground.pair import pair
from playground.parts import conclusions, files
from playground.server.requests import PAIR_METRICS, PairRequest


def warm_up() -> None:
    """Score a pair with each metric and suggest a schema, which loads everything that is imported on first use."""
    for metric in PAIR_METRICS:
        pair.answer(PairRequest(truth='{"a": ["b", "c"]}', prediction='```{"a": ["d"]}```', metric=metric))
    found = evaluate(predictions=[{"a": "5 kg", "b": "1 €"}], references=[{"a": "5 kg", "b": "2 €"}])
    conclusions.what_ifs_of([found], files.check_test_set)


warm_up()
