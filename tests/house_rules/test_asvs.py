"""Is every item of OWASP ASVS 5.0 at levels 1 and 2 answered once, by evidence that exists?"""

import re
from collections import Counter
from pathlib import Path

from tools.asvs_docs import PAGE, Item, State, chapters, page

ROOT = Path(__file__).parents[2]
LEVELS = {
    **{"1.1": "22", "1.2": "1111122223", "1.3": "112222222223", "1.4": "222", "1.5": "123"},
    **{"2.1": "122", "2.2": "112", "2.3": "12223", "2.4": "23"},
    **{"3.1": "3", "3.2": "113", "3.3": "12223", "3.4": "11222233", "3.5": "11122333", "3.6": "3", "3.7": "22333"},
    **{"4.1": "12233", "4.2": "23333", "4.3": "22", "4.4": "1222"},
    **{"5.1": "2", "5.2": "112333", "5.3": "113", "5.4": "222"},
    **{"6.1": "122", "6.2": "111111112222", "6.3": "11223333", "6.4": "112233", "6.5": "22222333"},
    **{"6.6": "2223", "6.7": "33", "6.8": "2222"},
    **{"7.1": "222", "7.2": "1111", "7.3": "22", "7.4": "11222", "7.5": "223", "7.6": "22"},
    **{"8.1": "1233", "8.2": "1123", "8.3": "133", "8.4": "23"},
    **{"9.1": "111", "9.2": "1222"},
    **{"10.1": "22", "10.2": "223", "10.3": "22223", "10.4": "1111122222233333", "10.5": "22222"},
    **{"10.6": "22", "10.7": "222"},
    **{"11.1": "2233", "11.2": "22233", "11.3": "11233", "11.4": "1222", "11.5": "23", "11.6": "23", "11.7": "33"},
    **{"12.1": "12233", "12.2": "11", "12.3": "22223"},
    **{"13.1": "2333", "13.2": "222223", "13.3": "2233", "13.4": "1222233"},
    **{"14.1": "22", "14.2": "12223333", "14.3": "122"},
    **{"15.1": "12233", "15.2": "12233", "15.3": "1222222", "15.4": "3333"},
    **{"16.1": "2", "16.2": "22222", "16.3": "2222", "16.4": "222", "16.5": "2223"},
    **{"17.1": "23", "17.2": "22223333", "17.3": "22"},
}
"""Of each section of ASVS 5.0.0 the levels of its items, in their order."""


def items() -> list[Item]:
    return [item for chapter in chapters() for item in chapter.items]


def test_the_list_of_levels_is_that_of_the_standard():
    counted = Counter("".join(LEVELS.values()))
    assert (counted["1"], counted["2"], counted["3"]) == (70, 183, 92)


def test_every_item_of_both_levels_stands_there_once_in_its_chapter():
    asked = {
        f"{section}.{place}": int(level)
        for section, levels in LEVELS.items()
        for place, level in enumerate(levels, 1)
        if level != "3"
    }
    answered = items()
    assert [item.id for item in answered] == list(asked)
    assert {item.id: item.level for item in answered} == asked
    for chapter in chapters():
        assert {item.id.partition(".")[0] for item in chapter.items} == {str(chapter.number)}


def test_every_file_and_test_that_is_named_exists():
    lost = []
    for item in items():
        for one in item.evidence:
            path, _, name = one.partition("::")
            there = (ROOT / path).is_file()
            if not there or (
                name and not re.search(rf"^(async )?def {name}\(", (ROOT / path).read_text("utf-8"), re.M)
            ):
                lost.append(f"{item.id}: {one}")
    assert lost == []


def test_what_is_met_has_evidence_and_what_is_not_says_why():
    for item in items():
        if item.state in (State.MET, State.PARTLY, State.YOURS):
            assert item.evidence, item.id
        if item.state is not State.MET:
            assert item.says.endswith("."), item.id
        assert item.asks, item.id
        assert "|" not in item.asks + item.says, f"{item.id}: a table would break"


def test_the_page_is_current():
    assert PAGE.read_text("utf-8") == page(), "run `make docs`"
