"""Write the table of scenarios in docs/how-to/sandbox.md from the sandbox's own list."""

import json
from pathlib import Path

from truename.sandbox.scenarios import SCENARIOS, Scenario

PAGE = Path(__file__).resolve().parents[1] / "docs" / "how-to" / "sandbox.md"
HEAD = "| scenario | what happens | with | status | issues |\n|-|-|-|-|-|\n"


def row(scenario: Scenario) -> str:
    """One line of the table."""
    issues = ", ".join(f"`{code.name}` {severity.value.lower()}" for code, severity in scenario.issues) or "none"
    config = f"`{json.dumps(scenario.config, ensure_ascii=False)}`" if scenario.config else ""
    return f"| `{scenario.name}` | {scenario.sentence} | {config} | `{scenario.status}` | {issues} |\n"


def page() -> str:
    """The page as it should be: its own words, then the table."""
    words = PAGE.read_text(encoding="utf-8").partition(HEAD)[0]
    return words + HEAD + "".join(row(scenario) for scenario in SCENARIOS)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    print(f"wrote {PAGE.name}")
