"""`python -m pellucid`: the command line."""

import sys

from pellucid.cli.main import main

sys.exit(main())
