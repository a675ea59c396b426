"""``python -m corral.cli``: the same as the command ``corral``."""

from corral.cli import main

if __name__ == "__main__":
    main()
