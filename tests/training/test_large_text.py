"""A text that is large trains in memory that is not."""

from pathlib import Path

import pytest

from benchmarks.large_text import AT_MOST, peak_of_training, write_text


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="only Linux tells the peak so")
@pytest.mark.parametrize("tokenizer", ["char", "bpe"])
def test_30_mb_take_their_first_steps_in_less_than_500_mb(tmp_path, tokenizer):
    text = tmp_path / "large.txt"
    write_text(text, n_bytes=30_000_000)
    assert peak_of_training(text, tokenizer, cache=str(tmp_path)) < AT_MOST
