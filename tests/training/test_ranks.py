"""Who trains what of a batch, and who says what went wrong."""

import pytest

import pellucid
from pellucid.errors import PellucidError
from pellucid.training.execution import Execution
from pellucid.training.ranks import ALONE, Ranks, ToldError, launched, ranks_for
from tests.training.texts import DOCUMENT, SMALL


@pytest.fixture
def as_rank(monkeypatch):
    """Have this process seem to be one of several."""

    def become(rank, size, *, machines=1):
        per_machine = size // machines
        names = ("RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE")
        for name, value in zip(names, (rank, size, rank % per_machine, per_machine), strict=True):
            monkeypatch.setenv(name, str(value))

    return become


# A batch


@pytest.mark.parametrize("size", [1, 2, 3, 4, 6, 12])
def test_ranks_share_a_batch_without_a_rest(size):
    shares = [range(*Ranks(rank, size).share(12, 1)) for rank in range(size)]
    assert [number for share in shares for number in share] == list(range(12))
    assert {len(share) for share in shares} == {12 // size}


@pytest.mark.parametrize(
    ("batch_size", "accumulate", "size", "said"),
    [
        (10, 1, 4, r"batch_size=10 windows cannot be shared .* by 4 processes: take 8 or 12"),
        (3, 1, 8, r"batch_size=3 .* by 8 processes: take 8, or"),
        (8, 3, 4, r"accumulate=3 parts of the 2 windows that each of 4 .* at most 2"),
    ],
)
def test_what_cannot_be_shared_is_refused(batch_size, accumulate, size, said):
    with pytest.raises(PellucidError, match=said):
        Ranks(0, size).share(batch_size, accumulate)


# Who there is


def test_without_a_launcher_it_is_alone(monkeypatch):
    for name in ("RANK", "WORLD_SIZE"):
        monkeypatch.delenv(name, raising=False)
    assert launched() == ALONE
    assert ranks_for(Execution(engine="torch")) == ALONE


def test_what_the_launcher_says_is_taken(as_rank):
    as_rank(5, 8, machines=2)
    assert launched() == Ranks(rank=5, size=8, local_rank=1, local_size=4)


# What cannot be


def test_numpy_does_not_train_in_several_processes(as_rank):
    as_rank(0, 4)
    with pytest.raises(PellucidError, match=r"in one process, and there are 4: choose engine="):
        pellucid.train(DOCUMENT, **SMALL)


def test_one_process_has_nobody_to_share_a_model_with():
    with pytest.raises(PellucidError, match=r"sharding=full divides .* there is one: start it"):
        pellucid.train(DOCUMENT, engine="torch", sharding="full", **SMALL)


@pytest.mark.parametrize(("size", "machines"), [(4, 1), (2, 2)])
def test_hybrid_takes_several_machines_with_several_processes(as_rank, size, machines):
    as_rank(0, size, machines=machines)
    there = rf"there are {machines} with {size // machines} processes: take full"
    with pytest.raises(PellucidError, match=there):
        ranks_for(Execution(engine="torch", sharding="hybrid"))


def test_what_all_find_out_one_tells(as_rank):
    as_rank(3, 4)
    with pytest.raises(ToldError):
        ranks_for(Execution())
