"""Figures of a comparison, against values worked out by hand."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

from clef_mlx.compare.figures import Answered, figures, resampler

EXACT = 1e-12  # float64 against float64


def answered(*probabilities: float, request: int = 0, kind: str = "choice") -> Answered:
    return Answered(request, kind, np.log(np.array(probabilities)))


def test_one_question_by_hand() -> None:
    found = figures([answered(0.6, 0.3, 0.1)], [answered(0.35, 0.5, 0.15)])
    assert found.drift.mean == found.drift_99 == found.drift_max == pytest.approx(0.25, abs=EXACT)
    kl = 0.6 * math.log(0.6 / 0.35) + 0.3 * math.log(0.3 / 0.5) + 0.1 * math.log(0.1 / 0.15)
    assert found.kl.mean == pytest.approx(kl, abs=EXACT)
    assert found.overconfidence.mean == pytest.approx(0.5 - 0.3, abs=EXACT)
    assert found.changes["choice"].clear_changed == found.changes["all"].changed == 1
    assert found.changes["noul"].questions == 0 and found.changes["noul"].share == 0


def test_near_ties_are_told_by_the_references_margin() -> None:
    reference = [answered(0.52, 0.48, kind="noul"), answered(0.53, 0.47, kind="noul")]
    candidate = [answered(0.4, 0.6, kind="noul"), answered(0.4, 0.6, kind="noul")]
    changes = figures(reference, candidate, near_tie=0.05).changes["noul"]
    assert vars(changes) == {"clear": 1, "clear_changed": 1, "ties": 1, "ties_changed": 1}
    changes = figures(reference, candidate, near_tie=0.01).changes["noul"]
    assert (changes.clear, changes.ties) == (2, 0)


def test_equal_models_differ_by_nothing() -> None:
    same = [answered(0.7, 0.3, request=n) for n in range(5)]
    found = figures(same, same)
    for estimate in (found.changed_share, found.drift, found.kl, found.overconfidence):
        assert (estimate.mean, estimate.low, estimate.high) == (0, 0, 0)


def test_logits_too_far_apart_for_float32_stay_finite() -> None:
    far = Answered(0, "noul", np.array([200.0, -200.0]))
    found = figures([answered(0.5, 0.5, kind="noul")], [far])
    assert found.kl.mean == pytest.approx(200 - math.log(2), abs=1e-9)
    assert figures([far], [far]).kl.mean == 0


def test_a_single_option_is_never_a_tie() -> None:
    assert Answered(0, "choice", np.array([3.0])).margin == 1


def test_interval_is_that_of_requests_not_of_questions() -> None:
    """Ten requests of a hundred equal questions each say no more than ten questions."""
    values = np.arange(10.0)
    alone = resampler(range(10))(values)
    crowd = resampler(np.repeat(np.arange(10), 100).tolist())(np.repeat(values, 100))
    assert (alone.mean, alone.low, alone.high) == pytest.approx(
        (crowd.mean, crowd.low, crowd.high), abs=EXACT
    )
    spread = values.std() / math.sqrt(10)  # what theory says of a mean of ten
    assert (alone.high - alone.low) / (2 * 1.96 * spread) == pytest.approx(1, abs=0.1)
    assert resampler(range(10))(values) == alone  # the draws are seeded


def test_json_is_plain_and_repeats() -> None:
    pair = [answered(0.6, 0.4)], [answered(0.55, 0.45)]
    assert json.dumps(figures(*pair).to_dict()) == json.dumps(figures(*pair).to_dict())
    assert figures(*pair).to_dict()["drift_max"] == 0.05
