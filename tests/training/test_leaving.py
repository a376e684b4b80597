"""One of several processes ends as it should, whatever is left."""

import subprocess
import sys

LEAVING = """
import atexit, os, time
from threading import Thread
from pellucid.training.leaving import leave

def write():
    time.sleep(0.2)
    print("written")

atexit.register(os.abort)
Thread(target=write).start()
print("trained")
leave(3)
"""


def test_a_rank_leaves_when_its_threads_have_and_does_not_abort():
    ended = subprocess.run([sys.executable, "-c", LEAVING], capture_output=True, text=True)
    assert (ended.returncode, ended.stdout, ended.stderr) == (3, "trained\nwritten\n", "")
