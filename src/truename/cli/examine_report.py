"""How an examination and the table of models look in a terminal and in the docs."""

from collections.abc import Mapping

from rich.console import Console, Group
from rich.panel import Panel
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from truename.rules.authenticity_signs import LIMITS, AuthenticitySign
from truename.rules.config import BiometricPolicy
from truename.rules.evidence import DocumentEvidence, Evidence, LivenessEvidence, Quality
from truename.rules.issues import Severity
from truename.rules.results import Outcome
from truename.rules.score_words import shown_limit, shown_score, shown_years
from truename.rules.verdict import Decision, Verdict
from truename.vision.captures import Examination

COLOUR = {
    Outcome.PASSED: "green",
    Outcome.FAILED: "red",
    Outcome.INCONCLUSIVE: "yellow",
    Outcome.NOT_RUN: "bright_black",
}
MARK = {Outcome.PASSED: "✔", Outcome.FAILED: "✘", Outcome.INCONCLUSIVE: "?", Outcome.NOT_RUN: "·"}
SEVERITY_COLOUR = {Severity.REJECTION: "red", Severity.WARNING: "yellow", Severity.INFORMATIONAL: "bright_black"}


def print_examination(console: Console, examination: Examination, verdict: Verdict, policy: BiometricPolicy) -> None:
    """Evidence first, then what was checked, what was found, and the decision last, where the eye ends."""
    evidence = examination.evidence
    if evidence.document is not None:
        console.print(_document(evidence.document))
    if evidence.liveness is not None:
        console.print(_selfie(evidence, evidence.liveness, policy))
    console.print(_checks(verdict))
    console.print(_issues(verdict))
    approved = verdict.decision is Decision.APPROVED
    colour = "green" if approved else "red"
    console.print(Panel(Text(verdict.decision.value, style=f"bold {colour}", justify="center"), border_style=colour))
    engine = ", ".join(f"{model.name} {model.version}".strip() for model in evidence.engine)
    console.print(Text(f"seen with {engine}", style="bright_black"))


def _document(document: DocumentEvidence) -> Panel:
    grid = Table.grid(padding=(0, 2))
    what = " ".join(filter(None, [document.country or document.issuer_code, document.type and document.type.value]))
    grid.add_row("document", Text(what or f"not recognised: {document.reason}", style="bold" if what else "red"))
    for name, field in document.fields.items():
        line = Text(field.value, style="bold")
        line.append(f"  {field.source.value} {field.confidence:.2f}", style="bright_black")
        if field.repaired:
            line.append("  repaired", style="yellow")
        for other in field.others:
            line.append(f"  {other.source.value} says {other.value}", style="yellow")
        grid.add_row(name.value, line)
    if document.mrz:
        wrong = "check digits wrong" if document.mrz.has_wrong_digits else "mostly guessed"
        state = Text("valid" if document.mrz.valid else wrong, "green" if document.mrz.valid else "red")
        state.append(", two readers agree" if document.mrz.readers_agree else ", one reader only", "bright_black")
        grid.add_row("mrz", Group(*(Text(line, style="cyan") for line in document.mrz.lines), state))
    if document.barcode_kind:
        grid.add_row("barcode", document.barcode_kind)
    if document.authenticity is not None:
        grid.add_row("authenticity", _authenticity(document.authenticity))
    for side, seen in (("front", document.front), ("back", document.back)):
        if seen is not None:
            grid.add_row(f"{side} picture", _quality(seen.quality))
    return Panel(grid, title="Document", border_style="blue", title_align="left")


def _authenticity(measured: Mapping[AuthenticitySign, float]) -> Text:
    """The signs that speak against the document, with their numbers; or that none of those measured does."""
    against = [f"{sign.value} {value:g}" for sign, value in measured.items() if LIMITS[sign].speaks(value)]
    if not against:
        return Text(f"none of {len(measured)} signs speaks against it", "green")
    return Text(", ".join(against), "yellow")


def _selfie(evidence: Evidence, liveness: LivenessEvidence, policy: BiometricPolicy) -> Panel:
    grid = Table.grid(padding=(0, 2))
    alive, alike = policy.liveness_min_score, policy.face_comparison_min_score
    note = "".join(f"  {part}" for part in (liveness.reason, *liveness.signs) if part)
    grid.add_row("liveness", _bar(liveness.score, alive), Text(note, style="yellow"))
    if liveness.passive_score is not None:
        grid.add_row("  passive", _bar(liveness.passive_score, alive))
    if liveness.challenge_score is not None:
        grid.add_row("  challenge", _bar(liveness.challenge_score, alive))
    for pair, compared in evidence.face_similarity.items():
        words = pair.value.replace("_AND_", " ↔ ").lower()
        grid.add_row(words, _bar(compared.score, alike), Text(compared.reason or "", style="yellow"))
    if evidence.selfie:
        seen = evidence.selfie
        grid.add_row("age", Text(f"{shown_years(seen.age)} ± {seen.age_margin:.0f} years (estimate)"))
        gender = seen.gender.value.lower() if seen.gender else "not sure"
        grid.add_row("gender", Text(f"{gender} {seen.gender_confidence:.2f} (estimate)"))
    if liveness.quality.reasons:
        grid.add_row("picture", _quality(liveness.quality))
    return Panel(grid, title="Face", border_style="magenta", title_align="left")


def _checks(verdict: Verdict) -> Panel:
    table = Table.grid(padding=(0, 2))
    for result in verdict.checks:
        if result.outcome is Outcome.NOT_RUN:
            continue
        numbers = "" if result.score is None else f"{result.score:.3f}"
        if result.score is not None and result.threshold is not None:
            numbers = f"{shown_score(result.score, result.threshold, 3)} of {shown_limit(result.threshold)}"
        colour = COLOUR[result.outcome]
        table.add_row(
            Text(MARK[result.outcome], colour),
            Text(result.check.value, colour),
            numbers,
            Text(result.reason or "", "yellow"),
        )
    left_out = sum(result.outcome is Outcome.NOT_RUN for result in verdict.checks)
    table.add_row(Text(MARK[Outcome.NOT_RUN], "bright_black"), Text(f"{left_out} checks not run", "bright_black"))
    return Panel(table, title="Checks", border_style="cyan", title_align="left")


def _issues(verdict: Verdict) -> Group | Rule:
    if not verdict.issues:
        return Rule("no issues", style="green")
    table = Table(title="Issues", title_justify="left", show_edge=False, pad_edge=False)
    for heading in ("severity", "code", "details", "set by"):
        table.add_column(heading)
    for issue in verdict.issues:
        colour = SEVERITY_COLOUR[issue.severity]
        details = ", ".join(f"{name} {value}" for name, value in issue.details.items())
        table.add_row(Text(issue.severity.value, colour), Text(issue.code.name, colour), details, issue.policy or "")
    return Group(table)


def _bar(score: float | None, threshold: float, width: int = 20) -> Text:
    """A score as a bar: green from its threshold on, yellow where it comes near."""
    if score is None:
        return Text("not known", style="yellow")
    full = round(score * width)
    colour = "green" if score >= threshold else "yellow" if score >= 0.7 * threshold else "red"
    bar = Text("█" * full, style=colour)
    bar.append("░" * (width - full), style="bright_black")
    return bar.append(f" {shown_score(score, threshold, 3)}", style="bold")


def _quality(quality: Quality) -> Text:
    size = f"{quality.width}×{quality.height} " if quality.width else ""
    if not quality.reasons:
        return Text(f"{size}good", style="green")
    return Text(size + ", ".join(reason.value for reason in quality.reasons), style="yellow")
