"""No cluster is at hand, so: the manifests are held to Kubernetes' own schemas, and to what our commands take."""

import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import kubernetes_validate  # type: ignore[import-untyped]
import pytest
import yaml

from tests.support.containerfile import environment_of_image, instructions
from tests.support.installed import ROOT
from truename.cli import load
from truename.plumbing.jobs.queue_names import Queue
from truename.plumbing.metrics import QueueGauges, gauges
from truename.plumbing.settings import PREFIX, Settings

FOLDER = ROOT / "deploy" / "kubernetes"
KUBERNETES = "1.32"
FILES = sorted(path for path in FOLDER.rglob("*.yaml") if path.name != "kustomization.yaml")
KUSTOMIZATIONS = sorted(FOLDER.rglob("kustomization.yaml"))
OVERLAYS = sorted((FOLDER / "overlays").iterdir())
OWN_SCHEMA = "keda.sh/v1alpha1"
"""Kinds that a cluster learns from KEDA: not in Kubernetes' schemas."""

Document = dict[str, Any]


def parsed(text: str) -> list[Document]:
    """By the parser in C, which takes a tenth of the time."""
    return [one for one in yaml.load_all(text, yaml.CSafeLoader) if one]


def documents(path: Path) -> list[Document]:
    return parsed(path.read_text(encoding="utf-8"))


def everything() -> Iterator[Document]:
    for path in FILES:
        yield from documents(path)


def pods() -> dict[str, Document]:
    """The template of every pod, by the name of what makes it."""
    return {
        one["metadata"]["name"]: one["spec"]["template"] for one in everything() if "template" in one.get("spec", {})
    }


PODS = pods()


def by_schema(document: Document) -> None:
    if document["apiVersion"] != OWN_SCHEMA:
        kubernetes_validate.validate(document, KUBERNETES, strict=True)


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(FOLDER)))
def test_each_document_is_as_kubernetes_wants_it(path: Path):
    for document in documents(path):
        by_schema(document)


def test_a_wrong_field_would_be_seen():
    wrong = documents(FOLDER / "base" / "api.yaml")[0]
    wrong["spec"]["template"]["spec"]["containers"][0]["readinesProbe"] = {}
    with pytest.raises(kubernetes_validate.ValidationError):
        by_schema(wrong)


@pytest.mark.parametrize("path", KUSTOMIZATIONS, ids=lambda path: path.parent.name)
def test_each_kustomization_names_what_is_there_and_nothing_else(path: Path):
    (told,) = documents(path)
    assert {one for one in told["resources"] if one.endswith(".yaml")} == {
        file.name for file in path.parent.glob("*.yaml") if file != path
    }
    assert all((path.parent / one).exists() for one in told["resources"])
    for generated in told.get("configMapGenerator", ()):
        for literal in generated["literals"]:
            name = literal.partition("=")[0]
            assert name.removeprefix(PREFIX).lower() in Settings.model_fields, name


def place(document: Document | list[Any], path: str) -> tuple[Any, str | int]:
    """What holds the end of a JSON pointer, and under which key; KeyError and IndexError where there is none."""
    part: Any = document
    for key in path.split("/")[1:-1]:
        part = part[int(key) if isinstance(part, list) else key]
    last = path.rpartition("/")[2]
    return part, int(last) if isinstance(part, list) else last


def changed_by(overlay: Path) -> list[Document]:
    """The documents of the base that an overlay patches, as they are then; each of its patches must find some."""
    (told,) = documents(overlay / "kustomization.yaml")
    base = [one for path in sorted((FOLDER / "base").glob("*.yaml")) for one in documents(path)]
    found = []
    for patch in told["patches"]:
        kind, name = patch["target"]["kind"], patch["target"]["name"]
        hit = [one for one in base if one["kind"] == kind and re.fullmatch(name, one["metadata"]["name"])]
        assert hit, f"{overlay.name}: no {kind} is called {name}"
        for one in hit:
            for step in yaml.safe_load(patch["patch"]):
                part, last = place(one, step["path"])
                assert part[last], step
                assert step["op"] in ("remove", "replace")
                if step["op"] == "remove":
                    del part[last]
                else:
                    part[last] = step["value"]
        found += hit
    return found


@pytest.mark.parametrize("overlay", OVERLAYS, ids=lambda path: path.name)
def test_each_patch_finds_what_it_changes_and_leaves_valid_documents(overlay: Path):
    """Also where no kubectl is: an overlay that names what the base has not is refused only when it is applied."""
    changed = changed_by(overlay)
    for document in changed:
        by_schema(document)
    added = [one for path in overlay.glob("*.yaml") if path.name != "kustomization.yaml" for one in documents(path)]
    scaled = {one["spec"]["scaleTargetRef"]["name"] for one in added}
    assert scaled == {one["metadata"]["name"] for one in changed if one["kind"] == "Deployment"}
    assert not [one for one in changed if "replicas" in one["spec"]]


def test_a_patch_that_finds_nothing_would_be_seen(tmp_path: Path):
    shutil.copytree(FOLDER / "overlays" / "production", tmp_path / "production")
    file = tmp_path / "production" / "kustomization.yaml"
    told = file.read_text(encoding="utf-8")
    file.write_text(told.replace("name: truename}\n    patch", "name: trueneme}\n    patch"), encoding="utf-8")
    with pytest.raises(AssertionError, match="no Ingress is called trueneme"):
        changed_by(tmp_path / "production")
    file.write_text(told.replace("/spec/tls/0/hosts/0", "/spec/tls/1/hosts/0"), encoding="utf-8")
    with pytest.raises(IndexError):
        changed_by(tmp_path / "production")


@pytest.mark.skipif(shutil.which("kubectl") is None, reason="kubectl, which puts overlays together, is not here")
@pytest.mark.parametrize("overlay", OVERLAYS, ids=lambda path: path.name)
def test_each_overlay_is_put_together_into_valid_documents(overlay: Path):
    done = subprocess.run(["kubectl", "kustomize", overlay], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    made = parsed(done.stdout)
    for document in made:
        by_schema(document)
    images = {
        container["image"]
        for one in made
        if "template" in one.get("spec", {})
        for container in one["spec"]["template"]["spec"]["containers"]
    }
    assert len(images) == 1
    scaled = {one["spec"]["scaleTargetRef"]["name"] for one in made if "scaleTargetRef" in one.get("spec", {})}
    assert scaled
    for one in made:
        if one["kind"] == "Deployment":
            assert ("replicas" in one["spec"]) is (one["metadata"]["name"] not in scaled)


@pytest.mark.parametrize("name", PODS)
def test_each_pod_is_as_narrow_as_its_image(name: str):
    pod = PODS[name]["spec"]
    user, group = (int(part) for part in instructions("USER")[0].split(":"))
    assert (pod["securityContext"]["runAsUser"], pod["securityContext"]["runAsGroup"]) == (user, group)
    assert pod["securityContext"]["runAsNonRoot"] is True
    assert pod["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
    assert pod["automountServiceAccountToken"] is False
    (container,) = pod["containers"]
    assert container["securityContext"] == {
        "allowPrivilegeEscalation": False,
        "readOnlyRootFilesystem": True,
        "capabilities": {"drop": ["ALL"]},
    }
    assert {mount["mountPath"] for mount in container["volumeMounts"]} == {
        environment_of_image()["TRUENAME_DATA_DIR"],
        "/tmp",
    }
    assert "memory" in container["resources"]["limits"]


@pytest.mark.parametrize("name", PODS)
def test_each_pod_calls_a_command_that_there_is(name: str):
    (container,) = PODS[name]["spec"]["containers"]
    command, *rest = container["args"]
    with load(command).make_context(command, rest) as parsed:
        ports = {port["name"]: port["containerPort"] for port in container.get("ports", ())}
        told = parsed.params.get("metrics_port")
        assert ports == ({"http": int(environment_of_image()["TRUENAME_PORT"])} if command == "serve" else ports)
        assert ports == ({"metrics": told} if command == "worker" else ports)
    for probe in ("startupProbe", "livenessProbe", "readinessProbe"):
        if probe in container:
            assert container[probe]["httpGet"]["path"] in ("/healthz", "/readyz")
            assert container[probe]["httpGet"]["port"] in ports


def test_every_queue_has_workers_and_may_grow_by_its_age():
    workers = {
        name: args[args.index("--queues") + 1]
        for name, pod in PODS.items()
        if "--queues" in (args := pod["spec"]["containers"][0]["args"])
    }
    assert sorted(workers.values()) == sorted(Queue)
    page = gauges([QueueGauges(queue, 1, 2.0, 1.0) for queue in Queue]).decode()
    for one in documents(FOLDER / "overlays" / "production" / "queue-autoscaling.yaml"):
        query = one["spec"]["triggers"][0]["metadata"]["query"]
        (metric,) = re.findall(r"^max\((.+)\)$", query)
        assert f"\n{metric} 2.0\n" in page
        assert f'queue="{workers[one["spec"]["scaleTargetRef"]["name"]]}"' in metric


def test_nothing_may_talk_unless_a_policy_lets_it():
    policies = {one["metadata"]["name"]: one["spec"] for one in everything() if one["kind"] == "NetworkPolicy"}
    assert policies["nothing-by-default"] == {"podSelector": {}, "policyTypes": ["Ingress", "Egress"]}
    reached = {
        name
        for name, pod in PODS.items()
        for policy in policies.values()
        if "ingress" in policy and policy["podSelector"]["matchLabels"].items() <= pod["metadata"]["labels"].items()
    }
    assert reached == set(PODS) - {"truename-migrate"}
    (outside,) = [
        policy["podSelector"]["matchLabels"]["app.kubernetes.io/component"]
        for policy in policies.values()
        for rule in policy.get("egress", ())
        if any("ipBlock" in to for to in rule.get("to", ()))
    ]
    assert outside == "delivery"


@pytest.mark.skipif(shutil.which("kubectl") is None, reason="kubectl, which puts overlays together, is not here")
def test_the_patch_of_the_page_narrows_where_every_pod_may_talk_to(tmp_path: Path):
    page = (ROOT / "docs" / "how-to" / "run-on-kubernetes.md").read_text(encoding="utf-8")
    patch = re.search(r"```yaml\n(.*?)```", page, re.DOTALL)
    assert patch is not None
    shutil.copytree(FOLDER, tmp_path / "kubernetes")
    overlay = tmp_path / "kubernetes" / "overlays" / "production"
    file = overlay / "kustomization.yaml"
    told = file.read_text(encoding="utf-8")
    assert "\npatches:\n" in told
    file.write_text(told.replace("\npatches:\n", "\npatches:\n" + patch.group(1)), encoding="utf-8")
    done = subprocess.run(["kubectl", "kustomize", overlay], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    made = parsed(done.stdout)
    [narrowed] = [one for one in made if one["metadata"]["name"] == "names-database-and-store"]
    by_schema(narrowed)
    assert all(rule.get("to") for rule in narrowed["spec"]["egress"])
