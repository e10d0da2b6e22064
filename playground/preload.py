"""What child processes need, imported and used once, so that the process that they are forked from has it ready."""

from docscore import evaluate
from playground import conclusions, file_reading, kept_results, pair, review_work, systems_work, testset
from playground.requests import PAIR_METRICS, PairRequest

WORKS = (kept_results, pair, review_work, systems_work, testset)


def warm_up() -> None:
    """Score a pair by each metric, and look for a schema: what is imported when needed is then loaded."""
    for metric in PAIR_METRICS:
        pair.answer(PairRequest(truth='{"a": ["b", "c"]}', prediction='```{"a": ["d"]}```', metric=metric))
    found = evaluate(predictions=[{"a": "5 kg", "b": "1 €"}], references=[{"a": "5 kg", "b": "2 €"}])
    conclusions.what_ifs_of([found], file_reading.check_pairs)


warm_up()
