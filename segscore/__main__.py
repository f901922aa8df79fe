"""`python -m segscore` is the command `segscore`."""

from segscore.jobs.cli.app import main

if __name__ == "__main__":
    main()
