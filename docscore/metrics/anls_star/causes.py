"""The causes of lost points.

If a whole part is lost, the scorer sets its cause. `cause_of_scalars` finds the cause for two scalars.
"""

from typing import Any, Literal, get_args

from docscore.core.same_value import differ_in_punctuation, spelling_of_same_value

Cause = Literal[
    "wrong value",
    "near miss",
    "different notation",
    "punctuation",
    "wrong type",
    "missing field",
    "missing row",
    "missing prediction",
    "invented field",
    "invented row",
    "repeated row",
    "unparsable",
]

CAUSES: tuple[Cause, ...] = get_args(Cause)

NAMES: dict[str, tuple[str, str, str]] = {  # the words to show in a table, for one value, and for several values
    "wrong value": ("wrong value", "wrong value", "wrong values"),
    "near miss": ("near miss", "near miss", "near misses"),
    "different notation": ("different notation", "value in a different notation", "values in a different notation"),
    "punctuation": ("punctuation", "value with other punctuation", "values with other punctuation"),
    "wrong type": ("wrong type", "value of the wrong type", "values of the wrong type"),
    "missing field": ("missing field", "missing field", "missing fields"),
    "missing row": ("missing row", "missing row", "missing rows"),
    "missing prediction": ("missing prediction", "missing prediction", "missing predictions"),
    "invented field": ("invented field", "invented field", "invented fields"),
    "invented row": ("invented row", "invented row", "invented rows"),
    "repeated row": ("repeated row", "repeated row", "repeated rows"),
    "unparsable": ("unparsable", "unparsable prediction", "unparsable predictions"),
}

MEANINGS: dict[Cause, str] = {
    "wrong value": "a text whose similarity is below the threshold",
    "near miss": "a text that is similar, but not the same",
    "different notation": "the same number or date in a different notation",
    "punctuation": "a text with the same letters and digits, but other punctuation or spaces",
    "wrong type": "an object, a list or a text where another of them is expected",
    "missing field": "a key of the ground truth without a value in the prediction",
    "missing row": "an element of a list of the ground truth without a partner",
    "missing prediction": "a row without a prediction",
    "invented field": "a value where nothing is expected",
    "invented row": "an element of a list of the prediction without a partner",
    "repeated row": "an element of a list of the prediction without a partner, equal to another element of it",
    "unparsable": "a text that could not be read as JSON, where an object or a list is expected",
}


def cause_of_scalars(truth: Any, prediction: Any, *, earned: float) -> Cause:
    """Return the cause of the points that two scalars lost.

    >>> cause_of_scalars("1.234,50", "1234.50", earned=0.0), cause_of_scalars("tea", "teh", earned=0.67)
    ('different notation', 'near miss')
    """
    if spelling_of_same_value(truth, prediction):
        return "different notation"
    if differ_in_punctuation(truth, prediction):
        return "punctuation"
    return "near miss" if earned else "wrong value"
