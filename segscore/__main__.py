"""The command `segscore`, which is also `python -m segscore`."""

from segscore.jobs.cli import interruption


def main() -> None:
    """Run the command line."""
    interruption.end_at_once()
    from segscore.jobs.cli import app, startup

    startup.begin()
    app.main()


if __name__ == "__main__":
    main()
