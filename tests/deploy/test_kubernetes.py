"""deploy/kubernetes/: checked by schemas, made into pods as the Dask operator does, and run."""

import re
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path
from typing import Any

import jsonschema
import kubernetes_validate
import pytest
import yaml
from dask_kubernetes.operator.controller import controller

from tests.support.containers import ACCOUNT, TMP, Box, Machine, Service, environment
from tests.support.deployed import DEPLOY, entered, serving, store_variables
from tests.support.store_nights import deliver, published, yesterday

Manifest = dict[str, Any]
VERSION = "1.33"
CRDS = "operator/deployment/helm/dask-kubernetes-operator/crds"
OVERLAYS = ("base", "overlays/example")
SHOWN = """
import duckdb, fsspec
store = fsspec.filesystem("s3")
store.get("segscore/dashboards/segscore.duckdb", "/tmp/segscore.duckdb")
database = duckdb.connect("/tmp/segscore.duckdb", read_only=True)
database.register_filesystem(store)
for row in database.execute("SELECT date, outcome FROM nights").fetchall():
    print(*row)
"""
"""Prints the nights in the DuckDB file of the store."""


@pytest.fixture(scope="module", params=OVERLAYS)
def manifests(request: pytest.FixtureRequest) -> list[Manifest]:
    """Build the manifests of a folder with kustomize."""
    if shutil.which("kubectl") is None:
        pytest.skip("there is no kubectl: the manifests are not put together")
    command = ["kubectl", "kustomize", DEPLOY / "kubernetes" / request.param]
    result = subprocess.run(command, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    return list(yaml.safe_load_all(result.stdout))


def one(manifests: Sequence[Manifest], kind: str, name: str | None = None) -> Manifest:
    """Return the only manifest of a kind, or of a kind and name."""
    (only_one,) = (
        manifest
        for manifest in manifests
        if manifest["kind"] == kind and name in (None, manifest["metadata"]["name"])
    )
    return only_one


def cron_job(manifests: Sequence[Manifest], name: str) -> Manifest:
    """Return what a CronJob specifies."""
    specified: Manifest = one(manifests, "CronJob", f"segscore-{name}")["spec"]
    return specified


def pods(manifests: Sequence[Manifest]) -> dict[str, Manifest]:
    """Templates of all pods: those of the CronJobs, and those that the operator makes."""
    nightly, dashboards = (
        cron_job(manifests, name)["jobTemplate"]["spec"]["template"]
        for name in ("nightly", "dashboards")
    )
    cluster = one(manifests, "DaskCluster")
    templates_by_name = {
        "client": nightly,
        "dashboards": dashboards,
        "scheduler": controller.build_scheduler_deployment_spec(
            cluster["metadata"]["name"],
            cluster["spec"]["scheduler"]["spec"],
            {},
            cluster["metadata"]["labels"],
        ),
        "worker": controller.build_worker_deployment_spec(
            "segscore-default",
            cluster["metadata"]["namespace"],
            cluster["metadata"]["name"],
            "0123456789",
            cluster["spec"]["worker"]["spec"],
            {},
            cluster["metadata"]["labels"],
        ),
    }
    return {
        name: manifest.get("spec", {}).get("template", manifest)
        for name, manifest in templates_by_name.items()
    }


def closed(schema: Any) -> Any:
    """Make a schema refuse properties that it does not name, as strict validation does."""
    if isinstance(schema, list):
        return [closed(element) for element in schema]
    if not isinstance(schema, dict):
        return schema
    result = {name: closed(value) for name, value in schema.items()}
    if isinstance(schema.get("properties"), dict):
        result.setdefault("additionalProperties", False)
    return result


def problems(manifest: Manifest) -> list[str]:
    """List the errors of a manifest by the schemas of Kubernetes and of the Dask operator."""
    if manifest["apiVersion"] != "kubernetes.dask.org/v1":
        try:
            kubernetes_validate.validate(manifest, VERSION, strict=True)
        except kubernetes_validate.ValidationError as problem:
            return [str(problem)]
        return []
    crd = yaml.safe_load((files("dask_kubernetes") / CRDS / "daskcluster.yaml").read_text())
    (version,) = crd["spec"]["versions"]
    schema = closed(version["schema"]["openAPIV3Schema"])
    schema["properties"] |= {"apiVersion": {}, "kind": {}, "metadata": {}}
    errors = jsonschema.Draft202012Validator(schema).iter_errors(manifest)
    return [error.message for error in errors]


def test_manifests_are_valid(manifests: list[Manifest]) -> None:
    assert [problem for manifest in manifests for problem in problems(manifest)] == []


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        ("CronJob", "segscore-nightly"),
        ("CronJob", "segscore-dashboards"),
        ("DaskCluster", "segscore"),
    ],
)
def test_a_wrong_manifest_is_reported(manifests: list[Manifest], kind: str, name: str) -> None:
    """A misspelt key is reported at any depth."""
    text = yaml.safe_dump(one(manifests, kind, name))
    assert problems(yaml.safe_load(text.replace("readOnlyRootFilesystem", "readOnlyRoot")))


def test_pods_have_limits_and_few_rights(manifests: list[Manifest]) -> None:
    """Limits are those of the namespace (restricted) and more: no token, writing only to /tmp."""
    for name, pod in pods(manifests).items():
        spec = pod["spec"]
        assert spec["automountServiceAccountToken"] is False, name
        assert spec["securityContext"]["runAsNonRoot"] is True
        assert spec["securityContext"]["runAsUser"] == ACCOUNT
        assert spec["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
        (container,) = spec["containers"]
        assert container["securityContext"] == {
            "allowPrivilegeEscalation": False,
            "readOnlyRootFilesystem": True,
            "capabilities": {"drop": ["ALL"]},
        }
        assert container["resources"].keys() == {"requests", "limits"}
        assert TMP in {mount["mountPath"] for mount in container["volumeMounts"]}


def test_policies_select_existing_pods(manifests: list[Manifest]) -> None:
    """Labels that a policy or a service selects by exist on the pods."""
    labels = {name: pod["metadata"]["labels"] for name, pod in pods(manifests).items()}
    chosen = {
        manifest["metadata"]["name"]: {
            name
            for name, pod_labels in labels.items()
            if manifest["spec"]["podSelector"].get("matchLabels", {}).items() <= pod_labels.items()
        }
        for manifest in manifests
        if manifest["kind"] == "NetworkPolicy"
    }
    everybody = {"client", "dashboards", "scheduler", "worker"}
    assert chosen == {
        "segscore-nothing": everybody,
        "segscore-each-other": everybody,
        "segscore-store": everybody,
        "segscore-operator": {"scheduler"},
    }
    service = one(manifests, "DaskCluster")["spec"]["scheduler"]["service"]
    assert service["selector"].items() <= labels["scheduler"].items()


def test_the_night_is_yesterday_in_the_time_zone_of_the_schedule(manifests: list[Manifest]) -> None:
    (container,) = pods(manifests)["client"]["spec"]["containers"]
    zones = {"name": "TZ", "value": cron_job(manifests, "nightly")["timeZone"]}
    assert zones in container["env"]


def test_retries_outlast_late_tables(manifests: list[Manifest]) -> None:
    """They last until shortly before the next hour; waiting times are those of Kubernetes."""
    spec = cron_job(manifests, "nightly")
    waits = [
        min(10 * 2**retry, 360) for retry in range(spec["jobTemplate"]["spec"]["backoffLimit"])
    ]
    assert 45 * 60 < sum(waits) < 55 * 60
    assert spec["concurrencyPolicy"] == "Forbid"


def pod_box(image: Path, pod: Manifest, **more: Any) -> tuple[Box, list[str]]:
    """Return the box of a pod, and its command."""
    (container,) = pod["spec"]["containers"]
    given = {variable["name"]: variable["value"] for variable in container.get("env", [])}
    if container.get("envFrom"):
        assert container["envFrom"] == [{"secretRef": {"name": "segscore-store"}}]
        given |= store_variables()
    arguments = [
        re.sub(r"\$\((\w+)\)", lambda m: given[m[1]], argument) for argument in container["args"]
    ]
    return Box(image, environment() | given, **more), entered(arguments)


@contextmanager
def pod_running(image: Path, machine: Machine, pod: Manifest) -> Iterator[Service]:
    """Run a pod until the block ends; its startup probe has succeeded."""
    (container,) = pod["spec"]["containers"]
    probe = container["startupProbe"]["httpGet"]
    ports = {port["name"]: port["containerPort"] for port in container["ports"]}
    url = f"http://127.0.0.1:{ports[probe['port']]}{probe['path']}"
    ask = ["python", "-c", f"from urllib.request import urlopen; urlopen({url!r})"]
    box, command = pod_box(image, pod)
    with serving(machine, box, command, ask) as service:
        yield service


@pytest.mark.usefixtures("store")
@pytest.mark.parametrize("manifests", ["base"], indirect=True)
def test_a_night_runs_by_the_manifests(
    image: Path, machine: Machine, manifests: list[Manifest], tmp_path: Path
) -> None:
    """Scheduler, a worker as the operator makes it, and the job run by their manifests."""
    days = yesterday()
    deliver(machine, image, tmp_path / "tables", days)
    templates = pods(manifests)
    settings = tmp_path / "settings"
    settings.mkdir()
    for name, text in one(manifests, "ConfigMap")["data"].items():
        (settings / name).write_text(text)
    box, command = pod_box(image, templates["client"], read={"/etc/segscore": settings})
    with (
        pod_running(image, machine, templates["scheduler"]),
        pod_running(image, machine, templates["worker"]),
    ):
        result = machine.run(box, *command)
    assert result.returncode == 0, result.stdout + result.stderr
    assert published(machine, image) & days
    box, command = pod_box(image, templates["dashboards"], read={"/etc/segscore": settings})
    machine.say(box, *command)
    shown = machine.say(box, *entered(["python", "-c", SHOWN]))
    assert shown in {f"{day} passed\n" for day in days}
