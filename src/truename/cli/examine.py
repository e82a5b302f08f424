"""Seeing without a server: examine captures, refit the face calibration."""

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from truename.cli.console import Console
from truename.cli.examine_files import captures_from_files, picture_of, read_config, read_rows
from truename.cli.examine_report import print_examination
from truename.cli.exit_codes import ExitCode, complain, not_written
from truename.cli.running import set_up_vision, settings_of_command
from truename.plumbing.clock import date_at_utc_minus_12, now
from truename.rules.config import Config, TransactionType
from truename.rules.dossier import Dossier
from truename.rules.strangers import ANCHOR_CAUTION
from truename.rules.verdict import Decision, evaluate
from truename.vision.captures import Captures, ReferenceFace

if TYPE_CHECKING:
    from truename.vision.face.calibrate import FittedCalibration, Values


def register(app: typer.Typer) -> None:
    """Hang the commands of this module on the command line."""
    app.command("examine")(examine_captures)
    app.command("calibrate")(calibrate)


def examine_captures(
    document_front: Annotated[Path | None, typer.Option(exists=True, dir_okay=False, help="JPEG or PNG.")] = None,
    document_back: Annotated[Path | None, typer.Option(exists=True, dir_okay=False, help="JPEG or PNG.")] = None,
    selfie: Annotated[
        Path | None, typer.Option(exists=True, dir_okay=False, help="A still picture; or give --frames.")
    ] = None,
    frames: Annotated[
        Path | None,
        typer.Option(
            exists=True,
            file_okay=False,
            help="Frames in order of name; a name may tell step and time: 03_TURN_LEFT_1800.jpg",
        ),
    ] = None,
    reference: Annotated[
        Path | None, typer.Option(exists=True, dir_okay=False, help="The face that is known already.")
    ] = None,
    config: Annotated[
        Path | None, typer.Option(exists=True, dir_okay=False, help="The `config` object as JSON.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of colours.")] = False,
    picture: Annotated[Path | None, typer.Option(help="Draw everything that was found into this PNG.")] = None,
) -> None:
    """Examine pictures as a transaction would, and show evidence, issues and decision. Exit status 1 if rejected."""
    from truename.vision.decoding.decoder import DecodingLimits, OneDecoder
    from truename.vision.examine import examine

    settings = settings_of_command()
    set_up_vision(settings)
    if document_front is None and selfie is None and frames is None:
        raise typer.BadParameter("Give at least --document-front, --selfie or --frames.")
    if selfie is not None and frames is not None:
        raise typer.BadParameter("Give --selfie or --frames, not both.")
    chosen = read_config(config) if config else Config()
    captures = replace(
        captures_from_files(document_front, document_back, selfie, frames),
        compares_faces=chosen.biometric_policy.require_face_comparison,
    )
    today = date_at_utc_minus_12(now())
    with OneDecoder(DecodingLimits(1, settings.decoder_memory_mb, settings.decoder_seconds)) as decoder:
        known = ReferenceFace(image=picture_of(reference)) if reference else None
        examination = examine(captures, known, today=today, decode=decoder.decode)
        dossier = Dossier(
            transaction_type=_transaction_type(captures),
            config=chosen,
            evidence=examination.evidence,
            has_reference_face=reference is not None,
            today=today,
        )
        verdict = evaluate(dossier)
        if picture is not None:
            from truename.cli.examine_picture import draw

            try:
                draw(captures, examination, verdict, chosen.biometric_policy, decoder.decode).save(picture)
            except OSError as fault:
                raise not_written(f"--picture: {picture}", fault) from None
            except ValueError as fault:
                raise complain(f"--picture: {picture} cannot be written ({fault}).") from None
    if as_json:
        evidence = examination.evidence.model_dump(mode="json", exclude_none=True)
        typer.echo(json.dumps({**verdict.as_dict(), "evidence": evidence}, indent=2, ensure_ascii=False))
    else:
        print_examination(Console(), examination, verdict, chosen.biometric_policy)
    if verdict.decision is not Decision.APPROVED:
        raise typer.Exit(ExitCode.NEGATIVE)


def _transaction_type(captures: Captures) -> TransactionType:
    if captures.wants_document and captures.wants_liveness:
        return TransactionType.DOCUMENT_AND_BIOMETRIC
    return TransactionType.DOCUMENT_ONLY if captures.wants_document else TransactionType.BIOMETRIC_ONLY


def calibrate(
    pairs: Annotated[Path, typer.Option(exists=True, dir_okay=False, help="CSV with file1, file2, same (1 or 0).")],
    labels: Annotated[
        Path | None,
        typer.Option(exists=True, dir_okay=False, help="CSV with file, identity: all cross pairs are used as well."),
    ] = None,
    out: Annotated[Path, typer.Option(help="The calibration file to write.")] = Path("sface.toml"),
    caution: Annotated[
        float, typer.Option(min=0.0, max=1.0, help="0.5 is the best guess of 1 in 10,000; more is stricter.")
    ] = ANCHOR_CAUTION,
    images: Annotated[
        Path | None, typer.Option(exists=True, file_okay=False, help="Where the files are; default: beside the pairs.")
    ] = None,
) -> None:
    """Refit the map from cosine to score on your own pairs of photographs.

    Name the written file as `calibration` of the `[[model]]` row "sface" in the file that TRUENAME_MODELS names.
    """
    from truename.vision.face import calibrate as fitting
    from truename.vision.face.embed import template_sha256

    if not out.absolute().parent.is_dir():
        raise complain(f"There is no folder {out.absolute().parent}.")
    set_up_vision(settings_of_command())
    console = Console(stderr=True)
    folder = images or pairs.parent
    templates = _Templates(folder)
    listed = read_rows(pairs, "file1", "file2", "same")
    cosines, same, names = [], [], []
    for row in listed:
        one, other = templates.of(row["file1"]), templates.of(row["file2"])
        if one is None or other is None:
            continue
        cosines.append(float(one @ other))
        same.append(_is_same(row["same"], pairs))
        names.append((row["file1"], row["file2"]))
    measured = fitting.listed_pairs(cosines, same, names)
    if labels is not None:
        rows = read_rows(labels, "file", "identity")
        known = [(vector, row["identity"]) for row in rows if (vector := templates.of(row["file"])) is not None]
        if not known:
            raise complain(f"There is no single face in any picture of {labels}.")
        import numpy as np

        crossed = fitting.cross_pairs(np.stack([vector for vector, _ in known]), [name for _, name in known])
        measured = replace(crossed, genuine=measured.genuine if len(measured.genuine) else crossed.genuine)
    try:
        fitted = fitting.fit(measured, caution)
    except fitting.TooFewPairs as fault:
        console.print(f"[red]{fault}[/red] Give more pairs, or --labels so that all cross pairs count.")
        raise typer.Exit(ExitCode.NEGATIVE) from fault
    description = f"{pairs.name}{' and ' + labels.name if labels else ''}, {now().date()}"
    try:
        out.write_text(fitting.as_toml(fitted, description, template_sha256()), encoding="utf-8")
    except OSError as fault:
        raise not_written(f"--out: {out}", fault) from None
    _say_fitted(console, fitted, out, templates.without_face)


def _is_same(text: str, file: Path) -> bool:
    """A word that says neither must not pass for a pair of strangers: the curve would be fitted to it."""
    said = {"1": True, "true": True, "0": False, "false": False}.get(text.strip().lower())
    if said is None:
        raise complain(f"{file}: `same` is 1 or 0 in each row.")
    return said


def _say_fitted(console: Console, fitted: "FittedCalibration", out: Path, without_face: list[str]) -> None:
    anchor, measured = fitted.anchor, fitted.measured
    console.print(
        f"0.85 now stands at cosine [bold]{anchor.cosine}[/bold] "
        f"(95 % interval {anchor.cosine_low} … {anchor.cosine_high}), from {measured.impostor_pairs:,} pairs "
        f"of different people."
    )
    if anchor.extrapolated:
        console.print("[yellow]There were too few pairs to see 1 in 10,000: the anchor is extrapolated.[/yellow]")
    if measured.genuine_pairs:
        share = 100 * measured.genuine_refused_at_anchor
        console.print(f"{share:.1f} % of {measured.genuine_pairs:,} pairs of the same person would be refused at 0.85.")
    if without_face:
        console.print(
            f"[yellow]No single face in {len(without_face)} files, left out:[/yellow] {', '.join(without_face[:5])}…"
        )
    console.print(f"Written to {out}.")


class _Templates:
    """Embeddings of picture files, each computed once."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.without_face: list[str] = []
        self._known: dict[str, Values | None] = {}

    def of(self, name: str) -> "Values | None":
        import numpy as np

        from truename.vision.face.reference import read_reference

        if name not in self._known:
            reading = read_reference(picture_of(self.folder / name))
            self._known[name] = np.array(reading.template.vector) if reading.template else None
            if reading.template is None:
                self.without_face.append(name)
        return self._known[name]
