"""From scores to text: the grammar's fixed length and classes, and repairs that only the check digits can prove."""

import numpy as np
import pytest

from truename.rules.evidence import MrzFormat
from truename.vision.document.mrz.decode import BLANK, Scores, decode_line, free_text
from truename.vision.document.mrz.hold import hold_to_rules
from truename.vision.document.mrz.layouts import ALPHABET, LAYOUTS, check_digit
from truename.vision.document.mrz.repair import decode_zone

TD3 = LAYOUTS[MrzFormat.TD3]
NAMES = "P<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<"
DATA = "L898902C36UTO7408122F1204159ZE184226B<<<<<10"


def steps_for(text: str, doubts: dict[int, tuple[str, float]] | None = None) -> Scores:
    """What a sure recogniser says of a text, blanks between, with doubts (position: another character, its chance)."""
    chances = np.full((2 * len(text) + 1, len(ALPHABET) + 1), 1e-6)
    chances[::2, BLANK] = 1
    for position, character in enumerate(text):
        other, chance = (doubts or {}).get(position, (character, 0.0))
        chances[2 * position + 1, ALPHABET.index(character)] = 1 - chance
        if chance:
            chances[2 * position + 1, ALPHABET.index(other)] = chance
    return np.asarray(np.log(chances / chances.sum(1, keepdims=True)), np.float32)


def characters(text: str, row: int, doubts: dict[int, tuple[str, float]] | None = None) -> Scores:
    line = decode_line(steps_for(text, doubts), TD3.classes[row])
    assert line is not None
    return line.characters


def test_a_clear_line_costs_the_grammar_nothing() -> None:
    line = decode_line(steps_for(NAMES), TD3.classes[0])
    assert line is not None
    assert line.text == NAMES == free_text(steps_for(NAMES))
    assert line.cost == pytest.approx(0, abs=0.1)


def reference_score(steps: Scores, classes: tuple[str, ...]) -> float:
    """The score of the best reading, step by step as the rule is written: a character, itself again, or a blank."""
    length = len(classes)
    named = np.array([[max(allowed, key=lambda one: row[ALPHABET.index(one)]) for allowed in classes] for row in steps])
    inside, blank = [-np.inf] * length, [0.0] + [-np.inf] * length
    before = [""] * length
    for row, now in zip(steps.astype(float), named, strict=True):
        entered = [
            max(
                blank[place],
                inside[place] if now[place] == before[place] else -np.inf,
                inside[place - 1] if place and now[place] != before[place - 1] else -np.inf,
            )
            + row[ALPHABET.index(now[place])]
            for place in range(length)
        ]
        blank = [
            (max(blank[place], inside[place - 1] if place else -np.inf)) + row[BLANK] for place in range(length + 1)
        ]
        inside, before = entered, list(now)
    return max(inside[-1], blank[-1])


@pytest.mark.parametrize("seed", range(12))
def test_no_reading_of_any_scores_is_better_than_the_one_found(seed: int) -> None:
    chance = np.random.default_rng(seed)
    classes = TD3.classes[seed % 2][: chance.integers(3, 30)]
    scores = chance.normal(size=(int(chance.integers(len(classes), 90)), len(ALPHABET) + 1)) * chance.uniform(0.5, 6)
    steps = np.asarray(scores - np.log(np.exp(scores).sum(1, keepdims=True)), np.float32)
    line = decode_line(steps, classes)
    best = reference_score(steps, classes)
    if line is None:
        assert best == -np.inf
        return
    assert float(steps.max(1).sum()) - line.cost == pytest.approx(best, abs=0.01)
    assert all(character in allowed for character, allowed in zip(line.text, classes, strict=True))
    assert (np.diff(line.middles) > 0).all()


def test_a_digit_where_only_letters_may_stand_becomes_the_likeliest_letter() -> None:
    line = decode_line(steps_for(NAMES.replace("ANNA", "4NNA"), {15: ("A", 0.2)}), TD3.classes[0])
    assert line is not None
    assert line.text == NAMES


def test_a_filler_too_few_is_made_good_by_the_fixed_length() -> None:
    faint = steps_for("<", {0: ("<", 0.0)})[1] + np.log(0.1, dtype=np.float32)
    faint[BLANK] = np.log(0.9)
    short = np.vstack([steps_for(NAMES[:-1]), faint, steps_for("")])
    line = decode_line(short, TD3.classes[0])
    assert line is not None
    assert line.text == NAMES
    assert line.cost > 1


def test_too_few_steps_for_the_length_are_no_line() -> None:
    assert decode_line(steps_for("P<UTO"), TD3.classes[0]) is None


def test_a_doubtful_character_is_repaired_when_the_check_digits_prove_it() -> None:
    wrong = DATA[:6] + "Z" + DATA[7:]
    decoded = decode_zone(TD3, [characters(NAMES, 0), characters(wrong, 1, {6: ("2", 0.2)})])
    assert decoded.lines == (NAMES, DATA)
    assert decoded.valid
    assert decoded.repaired_fields == ("document_number",)


def test_a_clear_line_with_wrong_check_digits_is_reported_and_never_repaired() -> None:
    wrong = DATA[:6] + "3" + DATA[7:]
    decoded = decode_zone(TD3, [characters(NAMES, 0), characters(wrong, 1)])
    assert decoded.lines == (NAMES, wrong)
    assert not decoded.valid
    assert decoded.repaired_fields == ()


def test_two_repairs_that_are_equally_near_prove_nothing() -> None:
    # Weights of columns 1 and 4 are the same: either doubt, taken alone, makes the number's digit right.
    number = "A00A00000"
    wrong = number + "0" + DATA[10:]
    doubts = {0: ("B", 0.3), 3: ("B", 0.3)}
    decoded = decode_zone(TD3, [characters(NAMES, 0), characters(wrong, 1, doubts)])
    assert not decoded.valid
    assert decoded.repaired_fields == ()


def test_two_doubtful_characters_are_repaired_together_when_only_both_make_the_digit_right() -> None:
    wrong = DATA[:5] + "OZ" + DATA[7:]
    decoded = decode_zone(TD3, [characters(NAMES, 0), characters(wrong, 1, {5: ("0", 0.2), 6: ("2", 0.2)})])
    assert decoded.lines == (NAMES, DATA)
    assert decoded.valid


def test_a_valid_reading_is_left_as_it_is_though_another_one_would_be_valid_too() -> None:
    # Weights of columns 1 and 4 are the same: with both letters the other way round every digit is right again.
    number = "A00B00000"
    data = number + check_digit(number) + DATA[10:43]
    data += check_digit(data[:10] + data[13:20] + data[21:43])
    decoded = decode_zone(TD3, [characters(NAMES, 0), characters(data, 1, {0: ("B", 0.4), 3: ("A", 0.4)})])
    assert decoded.lines == (NAMES, data)
    assert decoded.valid
    assert decoded.repaired_fields == ()


@pytest.mark.parametrize(
    ("seen", "meant"),
    [
        (NAMES[:-3] + "IIT", NAMES),
        ("P<UTOERIKSSON" + 28 * "<" + "KL<", "P<UTOERIKSSON" + 31 * "<"),
        ("P<UTOERIKSSON<<<ANNA<MARIA" + 18 * "<", "P<UTOERIKSSON<<<ANNA<MARIA" + 18 * "<"),
    ],
)
def test_behind_the_names_only_fillers_stand(seen: str, meant: str) -> None:
    [names, _] = hold_to_rules(TD3, [characters(seen, 0), characters(DATA, 1)])
    assert "".join(ALPHABET[index] for index in names.argmax(1)) == meant
