"""The populations of the simulations of coverage have the means that they should have."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.coverage import DOCUMENTS, of_gate, student_bound
from benchmarks.populations import confident, questions, rare_gain, share_of_right_answers


def test_the_made_populations_have_the_means_that_are_said() -> None:
    """Rare gains leave the mean; right answers and confidences are as often right as they should be."""
    rng = np.random.default_rng(1)
    assert rare_gain(rng, 1_000_000, 0.05).mean() == pytest.approx(0.0, abs=0.001)
    base, new, clusters = questions(rng, 50_000)
    assert [side.values[0] for side in (base, new)] == pytest.approx([share_of_right_answers()] * 2, abs=0.005)
    assert np.bincount(clusters).min() == 1
    assert np.bincount(clusters).max() == 20
    sure, right, _ = confident(rng, 50_000, 1.0)
    assert right.mean() == pytest.approx(sure.mean(), abs=0.003)


def test_a_trial_is_the_same_twice() -> None:
    assert DOCUMENTS.trial(20, 3) == DOCUMENTS.trial(20, 3)
    assert of_gate(student_bound, 20, 3) == of_gate(student_bound, 20, 3)
