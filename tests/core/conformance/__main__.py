"""Print the conformance counts; with --write, put them into attention_core/README.md too."""

import argparse

from tests.core.conformance import counting

parser = argparse.ArgumentParser(prog="python -m tests.core.conformance", description=__doc__)
parser.add_argument("--write", action="store_true", help="put the tables into attention_core/README.md")
if parser.parse_args().write:
    counting.write()
print(counting.tables(), end="")
