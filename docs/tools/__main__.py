"""Write every generated page and file, or those whose names are given: `make docs`."""

import sys

from docs.tools.files import FILES


def main(names: list[str]) -> None:
    """Write files, and print the name of each that changed."""
    for path, written in FILES.items():
        if not names or path.name in names:
            text = written()
            if not path.exists() or path.read_text("utf-8") != text:
                path.write_text(text, "utf-8")
                print(path)


if __name__ == "__main__":
    main(sys.argv[1:])
