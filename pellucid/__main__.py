"""`python -m pellucid`: the command line."""

import sys

from pellucid.cli.main import main
from pellucid.training.leaving import leave
from pellucid.training.ranks import launched

if __name__ == "__main__":
    ended_with = main()
    if launched().size > 1:
        leave(ended_with)
    sys.exit(ended_with)
