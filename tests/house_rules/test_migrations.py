"""Does a released step of the schema stay as it was, and do the steps form one line?"""

import hashlib
import re
from importlib.resources import files
from pathlib import Path

import truename.plumbing.database.migrate as migrate

VERSIONS = migrate.FOLDER / "versions"
RELEASED = {
    "0.1.0": {
        "0001_foundation.sql": "a072754c171ce44162aa2190e14db11667699c3df622a07feb974e2eac4044bb",
        "0002_customers_and_transactions.sql": "74e49e1a2d4d65067b5aa82d9aed5798d7e6cfd2130916141251987c3b4857c5",
        "0003_webhooks.sql": "927f195e0bf77db153dfb12c95c3429f4e7d3476da73bcc41d75179ae871d947",
        "0004_capture.sql": "41c36caa14a0500c24a651957fce30d8836680008687a2208a197138fd6a36e3",
        "0005_jobs.sql": "695c0971fe891b43d0a8dff570b8ea6b819bbb288cf4ee537809dc8675dcd4f2",
    },
    "0.2.0": {
        "0006_audit_chain.sql": "85319730ea02baeddb339bbfd1329f1241be86b87fef9cb678ff918589bb11b5",
        "0007_privacy.sql": "4cea0dd9cd833c33c3ee285d63bacc4b5ba76b1a8589084966e5321d4187d6c8",
        "0008_face_search_off.sql": "bc205c935a58636713ba279c5c15f994bdc22c754e628a71879878e0d2001d97",
        "0009_clients.sql": "e1cb75e40b2863cfc3b73c5e59f6335a65a868b784cc2cb5e9c13b37e270b2a8",
        "0010_reviews.sql": "1775b2d66edd822620c3271982e02d460e8def2085aa7844bcd4023dd61ad0f6",
        "0011_statistics.sql": "106b39db914746c20b639c60fad9d3887c3012fc100c42a39275cc9d6f7fb774",
        "0012_operators.sql": "29075c97c32c9164866ceaa1b423b1cbaaf4d6ac7bdf64932bdbb49f19f44885",
        "0013_sandbox.sql": "7246bbb133557a132c2dd7ade18d7ed6e17996e52d08efb16acd8aac3702bf6a",
        "0014_saved_views.sql": "481ecd3a86787de3659ba7471e70b62335a44440e0ac548ea7014b751097c7b7",
        "0015_receipts.sql": "2a6fa9b5b737bc13fa8c535d62dd7930fc6a204f7fd3ad89596b6417f3402deb",
        "0016_customers_listed.sql": "29ab7c578db9c468cf1c20cb949adc80d01f0e0447a5ae7c52b77bc15c72dc91",
        "0017_request_log.sql": "0f068130221f9e9b2f0a5c87b8f863d8953cdef085e928cdffbf05e2fb51403b",
        "0018_next_face_templates.sql": "d5dafeb3d935210e767dd9f2b020894679bac993f7db2853dd6fe0577b2b1f81",
        "0019_backtests.sql": "5652e140ac4d5d4ee08cb3e361c96eacda7aa115b3520d5787692518178f55d5",
        "0020_hours_of_issues.sql": "1f72824a35909c473028a2e86bc333a2ba174081d6715c8c8bbe5dc26f042c10",
    },
}
"""By version the steps that it brought, with the hash of their SQL: a database somewhere has run them as they are."""
ENGINE_SCHEMA = "c70ec4b400a60ad9592787653aae5ae77ae41bf801d56b5bd2712751a07f2009"
"""The job engine's schema that 0005 took over. Another one in the installed package calls for a new step."""


def steps() -> list[Path]:
    return sorted(VERSIONS.glob("[0-9]*.py"))


def test_a_released_step_is_never_edited():
    found = {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in VERSIONS.glob("*.sql")}
    released = {name: digest for steps_of_one in RELEASED.values() for name, digest in steps_of_one.items()}
    assert {name: found.get(name) for name in released} == released
    assert list(released) == sorted(found)[: len(released)], "a step that was released is not on the list"


def test_every_release_has_named_its_steps():
    changelog = (Path(__file__).parents[2] / "CHANGELOG.md").read_text("utf-8")
    assert sorted(RELEASED) == sorted(re.findall(r"^## \[(\d[^\]]*)\]", changelog, re.MULTILINE))


def test_each_step_is_its_sql_and_takes_nothing_from_the_code_of_today():
    for path in steps():
        assert path.with_suffix(".sql").is_file(), path.name
        imported = set(re.findall(r"^(?:from|import) (\S+)", path.read_text("utf-8"), re.MULTILINE))
        assert imported == {"pathlib", "alembic"}, path.name


def test_the_steps_form_one_line():
    stated = re.compile(r'revision = "(\d+)"\ndown_revision = (?:"(\d+)"|None)')
    line = [found.groups() for path in steps() if (found := stated.search(path.read_text("utf-8")))]
    assert len(line) == len(steps())
    assert line == [(f"{number:04}", f"{number - 1:04}" if number > 1 else None) for number in range(1, len(line) + 1)]
    assert [path.name[:4] for path in steps()] == [revision for revision, _ in line]


def test_the_job_engine_wants_the_schema_that_was_taken_over():
    schema = files("procrastinate.sql").joinpath("schema.sql").read_bytes()
    assert hashlib.sha256(schema).hexdigest() == ENGINE_SCHEMA
