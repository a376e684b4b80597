"""The door of the figures, which stays shut until one is asked for."""

import subprocess
import sys

import pytest

import pellucid.views.figures


def test_matplotlib_is_loaded_with_the_first_picture_and_not_before():
    program = (
        "import sys, pellucid.views.figures as f\n"
        "assert 'matplotlib' not in sys.modules\n"
        "import numpy as np\n"
        "from pellucid.views.scene import Curve, Series\n"
        "f.draw_figure(Curve('', (Series('', np.ones(2)),), '', ''))\n"
        "assert 'matplotlib' in sys.modules and 'matplotlib.pyplot' not in sys.modules"
    )
    assert subprocess.run([sys.executable, "-c", program]).returncode == 0


def test_every_public_name_is_there_and_no_other():
    assert all(
        callable(getattr(pellucid.views.figures, name)) for name in pellucid.views.figures.__all__
    )
    with pytest.raises(AttributeError, match="has no attribute 'pie'"):
        pellucid.views.figures.pie  # noqa: B018
