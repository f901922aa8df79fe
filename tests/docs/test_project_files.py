"""The files by which others cite, change and release segscore say the same as the rest."""

import json
import re
import subprocess
import sys
import tomllib
from importlib.metadata import distributions
from typing import Any

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name
from packaging.version import Version

from tests.support.paths import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
MAKEFILE = (ROOT / "Makefile").read_text()
WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))
FORMS = sorted((ROOT / ".github/ISSUE_TEMPLATE").glob("*.yml"))


def read(path: str) -> Any:
    """Return the content of a YAML file; the key ``on`` is read as True, as YAML 1.1 says."""
    return yaml.safe_load((ROOT / path).read_text())


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
    assert [hook["entry"] for hook in repository["hooks"]] == ["make rules", "make types"]
    assert all(hook["pass_filenames"] is False for hook in repository["hooks"])


@pytest.mark.long
def test_what_pip_says_is_shown_where_it_fails() -> None:
    """Otherwise a line every ten seconds says how far it is."""
    command = [str(ROOT / ".ci/install"), sys.executable, sys.prefix, "./nowhere"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "ERROR: " in done.stdout
    assert "nowhere" in done.stdout


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


def floors(requirements: list[str]) -> dict[str, str]:
    """Return the oldest release of each required package, by its canonical name."""
    read_requirements = map(Requirement, requirements)
    return {
        canonicalize_name(each.name): str(each.specifier).removeprefix(">=")
        for each in read_requirements
    }


def test_the_oldest_releases_that_are_promised_are_tested() -> None:
    text = (ROOT / "constraints-oldest.txt").read_text()
    pinned: dict[str, str] = {
        canonicalize_name(name): version
        for name, version in re.findall(r"^([\w.-]+)==(.*)$", text, re.MULTILINE)
    }
    extras = PROJECT["optional-dependencies"]
    for_users = ("cluster", "metrics", "s3", "gcs", "azure", "report")
    required = PROJECT["dependencies"] + [each for extra in for_users for each in extras[extra]]
    for name, floor in floors(required).items():
        assert Version(pinned[name]) == Version(floor), name
    assert all(re.fullmatch(r"#.*|[\w.-]+==[\w.!]+", line) for line in text.splitlines())


def test_the_conda_recipe_has_the_requirements_of_the_project() -> None:
    recipe = read("conda/recipe.yaml")
    assert recipe["context"]["version"] == PROJECT["version"]
    assert f">={recipe['context']['python_min']}" == PROJECT["requires-python"]
    asked = dict(line.split(" >=") for line in recipe["requirements"]["run"])
    assert asked.pop("python") == "${{ python_min }}"
    asked |= {"pandera": asked.pop("pandera-base"), "dask": asked.pop("dask-core")}
    assert asked == floors(PROJECT["dependencies"])
    (entry,) = recipe["build"]["python"]["entry_points"]
    assert entry.split(" = ") == ["segscore", PROJECT["scripts"]["segscore"]]
    assert recipe["about"]["summary"] == PROJECT["description"]
    assert recipe["about"]["license"] == PROJECT["license"]
    assert recipe["about"]["license_file"] == PROJECT["license-files"]
    assert all((ROOT / name).is_file() for name in recipe["about"]["license_file"])


@pytest.mark.parametrize("path", ["codemeta.json", ".zenodo.json"])
def test_metadata_of_archives_say_the_same(path: str) -> None:
    metadata = json.loads((ROOT / path).read_text())
    assert metadata["version"] == PROJECT["version"]
    assert metadata["license"].endswith(PROJECT["license"])
    assert metadata["keywords"] == PROJECT["keywords"]
    assert metadata["description"] == PROJECT["description"]


def test_the_paper_cites_what_its_bibliography_has() -> None:
    paper = (ROOT / "paper/paper.md").read_text()
    entries = re.findall(r"^@\w+\{(.*),$", (ROOT / "paper/paper.bib").read_text(), re.MULTILINE)
    assert {*re.findall(r"@(\w+)[\];]", paper)} == {*entries}
    _, head, text = paper.split("---\n", 2)
    assert {"title", "tags", "authors", "affiliations", "bibliography"} <= yaml.safe_load(
        head
    ).keys()
    assert [line for line in text.splitlines() if line.startswith("# ")][:3] == [
        "# Summary",
        "# Statement of need",
        "# State of the field",
    ]


def test_read_the_docs_builds_the_site_as_make_does() -> None:
    settings = read(".readthedocs.yaml")
    assert (ROOT / settings["sphinx"]["configuration"]).is_file()
    (install,) = settings["python"]["install"]
    assert install["extra_requirements"] == ["docs"]
