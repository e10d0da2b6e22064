"""Measure the published package, in an environment without docscore."""

from __future__ import annotations

import json
import sys
import time
import warnings

from anls_star import anls_score


def restored(value: object) -> object:
    """Return the value with one-ofs as tuples."""
    if isinstance(value, dict):
        if value.keys() == {"$one_of"}:
            return tuple(map(restored, value["$one_of"]))
        return {key: restored(item) for key, item in value.items()}
    return [restored(item) for item in value] if isinstance(value, list) else value


def main() -> None:
    """Read pairs from standard input, score them, and print the seconds of processor time.

    The arguments of the command name the arguments of `anls_score` that are True.
    """
    warnings.simplefilter("ignore")
    flags = dict.fromkeys(sys.argv[1:], True)
    pairs = [(restored(truth), prediction) for truth, prediction in json.load(sys.stdin)]
    start = time.process_time()
    for truth, prediction in pairs:
        anls_score(truth, prediction, **flags)  # type: ignore[call-overload]
    print(time.process_time() - start)


if __name__ == "__main__":
    main()
