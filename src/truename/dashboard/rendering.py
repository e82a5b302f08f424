"""Templates: escaped without exception, strict about what they name."""

from functools import cache
from pathlib import Path
from typing import Final

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from truename.dashboard import assets, words
from truename.dashboard.tables import with_labels
from truename.rules import score_words

FOLDER: Final = Path(__file__).with_name("templates")


@cache
def templates() -> Environment:
    """Every template of the dashboard."""
    found = Environment(
        loader=FileSystemLoader(FOLDER),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    found.filters["short"] = words.short
    found.filters["status"] = words.status
    found.filters["count"] = words.count
    found.filters["change"] = words.change
    found.filters["with_pointers"] = words.with_pointers
    found.filters["duration"] = words.duration
    found.filters["gravest_first"] = words.gravest_first
    found.filters["with_code"] = words.with_code
    found.filters["person"] = words.person
    found.filters["in_words"] = words.yes_no
    found.filters["score"] = score_words.shown_score
    found.filters["limit"] = score_words.shown_limit
    found.filters["years"] = score_words.shown_years
    found.globals["asset"] = assets.address
    return found


def render(name: str, values: dict[str, object]) -> str:
    """One page or piece as HTML."""
    return with_labels(templates().get_template(name).render(values))
