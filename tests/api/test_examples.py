"""The examples of the reference are answers of one run of a real service."""

import json
from datetime import datetime, timedelta

from tools.api_examples import VERIFICATIONS

from truename.api.openapi import EXAMPLES


def test_each_film_of_the_examples_is_recorded_anew():
    films = [one for one in VERIFICATIONS if one.film is not None]
    assert len({one.seed for one in films}) == len(films), "frames that were sent before are refused"


def test_all_examples_are_of_one_run():
    kept = json.loads(EXAMPLES.read_text("utf-8"))
    shown = kept["ShownTransaction"]
    assert list(shown) == [one.name for one in VERIFICATIONS]
    moments = [datetime.fromisoformat(one["created_at"]) for one in shown.values()]
    assert moments == sorted(moments)
    assert moments[-1] - moments[0] < timedelta(hours=1)
    models = {(model["name"], model["sha256"]) for one in shown.values() for model in one["engine"]}
    assert len(models) == len({name for name, _ in models}), "one engine judged them all"
