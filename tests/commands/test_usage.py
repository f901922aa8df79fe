"""Wrong command lines and settings files: one line that names the option and its value."""

from pathlib import Path

import pytest

from tests.support.command_line import Segscore

SCORE = ("score", "references", "hypotheses", "--output", "run")
HELP = "; see `segscore score --help`"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((*SCORE, "--n-t", "zwei"), f"--n-t zwei: must be an integer{HELP}"),
        ((*SCORE, "--cost-miss", "x"), f"--cost-miss x: must be a number{HELP}"),
        ((*SCORE, "--workers", "0"), f"--workers 0: must be at least 1{HELP}"),
        (
            (*SCORE, "--mesures", "pk"),
            "--mesures: `segscore score` has no such option; the nearest is --measures" + HELP,
        ),
        ((*SCORE, "--n-t"), f"option '--n-t' requires an argument{HELP}"),
        (SCORE[:3], f"missing option '--output'{HELP}"),
        (
            ("nightly", "--n-t", "3"),
            "--n-t: `segscore nightly` has no such option; set n-t in the table [score] of "
            "--settings; see `segscore nightly --help`",
        ),
        (
            ("measures", "pk"),
            "pk: unexpected argument; `segscore measures` lists every measure, and `segscore "
            "measures --format csv | grep NAME` shows one; see `segscore measures --help`",
        ),
        (("scor", "x"), "No such command 'scor'. Did you mean 'score'?"),
    ],
)
def test_a_wrong_command_line_is_explained_in_one_line(
    segscore: Segscore, arguments: tuple[str, ...], message: str
) -> None:
    result = segscore(*arguments)
    assert (result.code, result.out, result.err) == (2, "", f"segscore: error: {message}\n")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[score]\nn-t = 2\nn-t = 3\n", "line 3 sets n-t a second time; set it once"),
        ("[score]\nn-t = 2\nn_t = 3\n", "score.n_t is set a second time, as n-t; set it once"),
        ("[score]\nn-t = 2\n[score]\n", "line 3 sets [score] a second time; set it once"),
        (
            '[storage.s3]\nsecret = "hush"\nsecret = "hush"',
            "line 3 sets secret a second time; set it once",
        ),
    ],
)
def test_a_key_that_is_set_twice_is_named(
    segscore: Segscore, tmp_path: Path, text: str, message: str
) -> None:
    file = tmp_path / "settings.toml"
    file.write_text(text)
    result = segscore(*SCORE, "--settings", file)
    assert (result.code, result.err) == (2, f"segscore: error: --settings {file}: {message}\n")
