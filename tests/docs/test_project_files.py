"""The files by which others cite, change and release segscore say the same as the rest."""

import re
import tomllib
from importlib.metadata import distributions
from typing import Any

import pytest
import yaml
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

from tests.support.paths import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
MAKEFILE = (ROOT / "Makefile").read_text()
WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))
FORMS = sorted((ROOT / ".github/ISSUE_TEMPLATE").glob("*.yml"))


def read(path: str) -> Any:
    """Return the content of a YAML file; the key ``on`` is read as True, as YAML 1.1 says."""
    return yaml.safe_load((ROOT / path).read_text())


def recipe(target: str) -> list[str]:
    """Return the commands of a target of the Makefile."""
    (lines,) = re.findall(rf"^{target}:[^\n]*\n((?:\t[^\n]*\n)+)", MAKEFILE, re.MULTILINE)
    return [line.strip().replace("$(BIN)", ".venv/bin") for line in lines.splitlines()]


def test_the_citation_is_of_this_version() -> None:
    citation = read("CITATION.cff")
    assert {"cff-version", "message", "title", "authors"} <= citation.keys()
    assert citation["cff-version"] == "1.2.0"
    assert citation["title"] == PROJECT["name"]
    assert citation["version"] == PROJECT["version"]
    assert citation["license"] == PROJECT["license"]
    assert set(citation["keywords"]) <= set(PROJECT["keywords"])


def test_the_hooks_do_what_make_lint_does() -> None:
    (repository,) = read(".pre-commit-config.yaml")["repos"]
    assert repository["repo"] == "local"
    assert "\nlint: rules types\n" in MAKEFILE
    commands = [*recipe("rules"), *recipe("types")]
    assert [hook["entry"] for hook in repository["hooks"]] == commands
    assert all(hook["pass_filenames"] is False for hook in repository["hooks"])


def steps(path: str) -> list[dict[str, Any]]:
    """Return the steps of all jobs of a workflow."""
    jobs = read(path)["jobs"].values()
    return [step for job in jobs for step in job.get("steps", [])]


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_workflows_call_targets_that_exist(path: Any) -> None:
    workflow = read(str(path.relative_to(ROOT)))
    assert workflow[True]
    assert workflow["permissions"] == {"contents": "read"}
    commands = [step["run"] for step in steps(str(path.relative_to(ROOT))) if "run" in step]
    called = [target for command in commands for target in re.findall(r"\bmake (\S+)", command)]
    assert called
    for target in called:
        assert re.search(rf"^{target}:", MAKEFILE, re.MULTILINE), target
    for job in workflow["jobs"].values():
        if "uses" in job:
            assert (ROOT / job["uses"]).is_file()
        else:
            assert job["timeout-minutes"] <= 120
    for line in re.findall(r"uses: (actions/.*)", path.read_text()):
        assert re.fullmatch(r"actions/[a-z-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", line)
    for step in steps(str(path.relative_to(ROOT))):
        assert step.get("uses", "actions/").startswith("actions/")


def test_every_version_that_is_promised_is_tested() -> None:
    tested = read(".github/workflows/tests.yml")["jobs"]["quick"]["strategy"]["matrix"]["python"]
    promised = [name.rpartition(" :: ")[2] for name in PROJECT["classifiers"] if ":: 3." in name]
    assert tested == promised
    assert PROJECT["requires-python"] == f">={tested[0]}"


def test_continuous_integration_runs_the_same_targets() -> None:
    """Those of .ci/run, which does without any service, are those of the workflow."""
    ours = re.findall(r"^make (\S+)", (ROOT / ".ci/run").read_text(), re.MULTILINE)
    commands = " ".join(step.get("run", "") for step in steps(".github/workflows/tests.yml"))
    assert set(ours) <= set(re.findall(r"\bmake (\S+)", commands))


@pytest.mark.parametrize("path", FORMS, ids=lambda path: path.name)
def test_forms_of_issues_are_complete(path: Any) -> None:
    form = yaml.safe_load(path.read_text())
    if path.name == "config.yml":
        assert form == {"blank_issues_enabled": True}
        return
    assert form["name"]
    assert form["description"]
    names = [part["id"] for part in form["body"]]
    assert len(names) == len(set(names))
    for part in form["body"]:
        assert part["type"] in ("input", "textarea")
        assert part["attributes"]["label"]


def test_the_pull_request_template_names_targets_that_exist() -> None:
    template = (ROOT / ".github/pull_request_template.md").read_text()
    for target in re.findall(r"make ([a-z-]+)", template):
        assert re.search(rf"^{target}:", MAKEFILE, re.MULTILINE), target


def test_every_extra_is_explained() -> None:
    """The table of dependencies has a line for each package of each extra for users."""
    page = (ROOT / "CONTRIBUTING.md").read_text()
    for extra, packages in PROJECT["optional-dependencies"].items():
        for package in packages:
            name = re.split(r"[<>=\[]", package)[0]
            assert re.search(rf"\b{re.escape(name)}\b", page), f"{extra}: {name}"


def test_the_oldest_python_takes_every_pinned_release() -> None:
    """A pinned release that a Python refuses keeps pip searching without end, and in silence."""
    oldest = PROJECT["requires-python"].removeprefix(">=") + ".0"
    text = (ROOT / "constraints.txt").read_text()
    pinned = {canonicalize_name(name) for name in re.findall(r"^([\w.-]+)==", text, re.MULTILINE)}
    needs = {
        canonicalize_name(found.name): (found.metadata.get_all("Requires-Python") or [""])[0]
        for found in distributions()
    }
    assert len(pinned & needs.keys()) > 100
    refused = [
        f"{name} needs Python {needs[name]}"
        for name in sorted(pinned & needs.keys())
        if needs[name] and not SpecifierSet(needs[name]).contains(oldest)
    ]
    assert not refused
