"""The policy lab: sliders answered from the sample, a pasted config, a run over all; the same policy flips nothing."""

import re

import pytest

from tests.support.cases import a_case, mismatch
from tests.support.dashboard import an_operator, signed_in
from tests.support.dossiers import a_device, a_dossier
from truename.dashboard.lab.form import moved
from truename.operators.model import Role
from truename.plumbing.jobs.worker import run_pending
from truename.wiring import load_jobs

load_jobs()
LAB = "/dashboard/lab"


@pytest.fixture
async def desk(plumbing, live_server, an_account):
    ana = await an_operator(plumbing, {an_account.account_id: Role.ADMIN})
    async with signed_in(plumbing, live_server, ana) as desk:
        yield desk


async def test_a_moved_limit_flips_exactly_the_decisions_that_it_should(plumbing, an_account, desk):
    _, page = await desk.get(LAB)
    assert "No transaction of the last 30 days can be judged again" in page
    near = await a_case(plumbing, an_account, mismatch(0.84), pictures=False)
    far = await a_case(plumbing, an_account, mismatch(0.4), pictures=False)
    vpn = await a_case(plumbing, an_account, a_dossier(device=a_device(vpn_or_proxy=True)), pictures=False)
    # Another range than the empty one, whose sample is kept for a while.
    _, page = await desk.get(f"{LAB}?days=7")
    assert "the same policy flips 0 of 3 sampled" in page
    query = "days=7&use_face_comparison_min_score=1&face_comparison_min_score=0.80&on_vpn_or_proxy=REJECT"
    for path in (f"{LAB}?{query}", f"{LAB}/sample?{query}"):
        status, page = await desk.get(path)
        assert status == 200
        assert "2 of 3 decisions flip" in page
        assert set(re.findall(r'data-row href="/dashboard/transactions/([^"]+)"', page)) == {str(near), str(vpn)}
        assert str(far) not in page
        button = page.partition(f'method="post" action="{LAB}/run">')[2].partition("</form>")[0]
        assert 'name="face_comparison_min_score" value="0.8"' in button, "what is shown is what is run on all"
        assert 'name="on_vpn_or_proxy" value="REJECT"' in button
    config = '{"biometric_policy": {"face_comparison_min_score": 0.3}}'
    _, page = await desk.post(f"{LAB}/try", days="7", mode="CHANGE", config=config)
    assert "2 of 3 decisions flip" in page
    for bad in ("{", '{"biometric_policy": {"liveness": 1}}', '{"webhook": {"url": "http://x"}}'):
        status, page = await desk.post(f"{LAB}/try", days="7", config=bad)
        assert (status, "This config cannot be used" in page) == (400, True), bad
    place = await desk.post_for_location(f"{LAB}/run", days="7", mode="CHANGE", config=config)
    await run_pending(plumbing)
    _, page = await desk.get(place)
    assert "2 of 3 decisions flip" in page
    assert "/biometric_policy/face_comparison_min_score" in page
    place = await desk.post_for_location(
        f"{LAB}/run", days="7", use_face_comparison_min_score="1", face_comparison_min_score="0.8"
    )
    await run_pending(plumbing)
    assert "1 of 3 decisions flip" in (await desk.get(place))[1]


def test_what_cannot_be_is_taken_for_untouched():
    state = moved({"days": "1e9", "liveness_min_score": "nan", "face_comparison_min_score": "7", "on_emulator": "<b>"})
    assert (state.days, state.changes) == ("30", False)
    assert dict(state.values) == {"face_comparison_min_score": 1.0, "liveness_min_score": 0.85}


@pytest.mark.parametrize(
    ("limit", "shown", "step"),
    [("0.9", "0.90", "0.01"), ("0.851", "0.851", "0.001"), ("0.8512", "0.8512", "any"), ("1", "1.00", "0.01")],
)
async def test_a_limit_is_tried_as_it_was_set(desk, limit, shown, step):
    state = moved({"use_liveness_min_score": "1", "liveness_min_score": limit})
    assert state.policy().config.biometric_policy.liveness_min_score == float(limit)
    _, page = await desk.get(f"{LAB}?days=90&use_liveness_min_score=1&liveness_min_score={limit}")
    assert f'<output data-for="liveness_min_score">{shown}</output>' in page
    # A browser moves a handle that its steps do not meet.
    assert f'name="liveness_min_score" min="0.1" max="1" step="{step}" value="{shown}"' in page


async def test_only_admins_open_the_lab(plumbing, an_account, live_server):
    reviewer = await an_operator(plumbing, {an_account.account_id: Role.REVIEWER})
    async with signed_in(plumbing, live_server, reviewer) as desk:
        assert (await desk.get(LAB))[0] == 403
        assert (await desk.post(f"{LAB}/run", config="{}"))[0] == 403
