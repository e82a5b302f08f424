"""How pages say things: moments in few words, code in sentences, cells that name their column."""

from datetime import UTC, datetime, timedelta

import pytest

from truename.dashboard.tables import with_labels
from truename.dashboard.words import ago, change, with_code, with_pointers

NOON = datetime(2026, 11, 16, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0, "now"),
        (59, "59 s ago"),
        (2151, "35 min ago"),
        (3 * 3600 + 900, "3 h ago"),
        (6 * 86400 + 5, "6 d ago"),
        (-90, "in 1 min 30 s"),
        (8 * 86400, "2026-11-08"),
    ],
)
def test_a_list_says_how_long_ago_in_one_unit(seconds, words):
    assert ago(NOON - timedelta(seconds=seconds), NOON) == words


def test_what_stands_between_backticks_is_code_and_nothing_else_is_taken_for_markup():
    assert with_code("by `a<b` & more") == "by <code>a&lt;b</code> &amp; more"
    assert with_code("one ` too many") == "one ` too many"


def test_differences_have_a_sign_and_pointers_are_code():
    assert [change(number) for number in (3, 0, -1204)] == ["+3", "±0", "−1,204"]
    words = with_pointers("Had /document_policy/on_x been 1/2 <b>, see a/b/c (/evidence/face)")
    assert words == (
        "Had <code>/document_policy/on_x</code> been 1/2 &lt;b&gt;, see a/b/c (<code>/evidence/face</code>)"
    )


def test_each_cell_names_its_column_for_who_reads_the_table_on_a_phone():
    table = (
        '<table><thead><tr><th scope="col"><span class="only-spoken">Choose</span></th>'
        '<th scope="col" class="number"><a href="/x">Sum &amp; share</a></th></tr></thead>'
        '<tbody><tr><td>□</td><td class="number">3</td></tr><tr><td colspan="2">none</td></tr></tbody></table>'
    )
    shown = with_labels(f"<p>before</p>{table}")
    assert '<td>□</td><td data-label="Sum &amp; share" class="number">3</td>' in shown
    assert '<td colspan="2">none</td>' in shown
    assert with_labels("<p>no table</p>") == "<p>no table</p>"
