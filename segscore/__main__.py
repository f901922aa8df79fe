"""The command `segscore`, which is also `python -m segscore`."""

from segscore.jobs.cli import interruption


def main() -> None:
    """Run the command line."""
    interruption.end_at_once()
    from segscore.jobs.cli import app
    from segscore.jobs.cli.startup import end_after

    end_after(app.main)


if __name__ == "__main__":
    main()
