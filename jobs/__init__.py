"""The commands: each parses its options, calls one function, prints, and chooses the exit code."""

if __name__ != "segscore.jobs":
    raise ImportError("this is segscore.jobs; import it by that name")
