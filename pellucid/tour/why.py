"""Part why: what was there before. An RNN and an LSTM on the same sentences, read in turn."""

from __future__ import annotations

from pellucid.interop.older_way import CELL_BY_CELL, DECODER, LSTM, RNN, OlderWay, older_way
from pellucid.tour.lesson import Lesson
from pellucid.tour.phrases import count, listed, nats, prose, see, tiny
from pellucid.training.run import TrainingRun
from pellucid.views.catalogue.older_way import gradient_at_first, learned, time_per_token
from pellucid.views.scene import Align, Block, Heading, Prose, Table

MICRO = 1e6
RIGHT: Align = "right"


def why(lesson: Lesson) -> tuple[Block, ...]:
    """In turn or at once: hand-overs, time, gradient and loss of both."""
    assert lesson.trials is not None  # A given model is refused before.
    run = lesson.trials.baseline
    found = older_way(lesson.trials.corpus.sentences, run=run)
    return (
        *in_turn(lesson),
        Heading("How long it takes", 2),
        before_time(),
        time_per_token(found),
        time_table(found),
        see(about_time(found)),
        Heading("How far a gradient comes", 2),
        before_gradient(),
        gradient_at_first(found),
        gradient_table(found),
        see(about_gradient(found)),
        Heading("What they learned", 2),
        before_loss(run, found),
        learned(found),
        see(about_loss(found)),
    )


def in_turn(lesson: Lesson) -> tuple[Block, ...]:
    """What passes from token to token in either, on the prompt."""
    tokens = lesson.trace.tokens
    last = len(tokens) - 1
    return (
        Heading("In turn or at once", 2),
        prose(
            """
            How were texts read before? In turn. A **recurrent** network, an RNN or its larger kin,
            the LSTM, reads one token, changes its **state**, a single vector, and hands it on to
            the next. Nothing of a token reaches a later one but through every state between. A
            decoder has no state: each token looks at all earlier ones itself, and all of them are
            worked on at once.
            """
        ),
        Table(
            "What each token must wait for",
            ("token", "RNN, LSTM: states before it", "decoder: attention"),
            tuple((token, place, int(place > 0)) for place, token in enumerate(tokens)),
            align=("left", "right", "right"),
        ),
        see(
            f"""
            From {lesson.token(0)} to {lesson.token(-1)} the state is handed on
            {count(last, "time")}; in the decoder one attention reaches back in any block, however
            long the text.
            """
        ),
    )


def before_time() -> Prose:
    """What is timed."""
    return prose(
        """
        What does waiting cost? Here each reads texts of 4 to 1,024 tokens and goes all the way back
        with the gradient, as in a training: PyTorch's own RNN and LSTM, and the decoder in PyTorch
        too, each with about as many parameters. A step of an RNN cannot begin before the one before
        it has ended. A decoder makes all tokens' products in one.
        """
    )


def per_token(found: OlderWay, name: str) -> tuple[float, ...]:
    """Microseconds per token at each length."""
    return tuple(
        MICRO * each / length
        for each, length in zip(found.seconds[name], found.lengths, strict=True)
    )


def time_table(found: OlderWay) -> Table:
    """The same as numbers."""
    names = tuple(found.seconds)
    times = [per_token(found, name) for name in names]
    return Table(
        "Microseconds per token, measured just now on this machine",
        ("tokens", *names),
        tuple(
            (f"{length:,}", *(f"{each[place]:.1f}" for each in times))
            for place, length in enumerate(found.lengths)
        ),
        align=(RIGHT,) * (1 + len(names)),
        note="Medians of some runs, forwards and back, on one thread. Another run gives others.",
    )


def about_time(found: OlderWay) -> str:
    """Who gains by length and who does not, by the numbers that were measured."""
    decoder, rnn, cells, whole = (
        per_token(found, name) for name in (DECODER, RNN, CELL_BY_CELL, LSTM)
    )
    best = min(range(len(decoder)), key=lambda place: decoder[place])
    length = found.lengths[best]
    times = rnn[best] / decoder[best]
    return f"""
        One pass costs its calls once, however many tokens share them: the decoder's time per token
        falls from {decoder[0]:.1f} µs to {decoder[best]:.1f} at {length:,} tokens, where the RNN's
        is {times:.1f} times as long and that of an LSTM gone through cell by cell
        {cells[best] / decoder[best]:.1f} times. {beyond(found, best)} {in_one_call(whole, cells)}
        """


def beyond(found: OlderWay, best: int) -> str:
    """What a longer text costs a decoder, where that can be seen."""
    decoder, last = per_token(found, DECODER), found.lengths[-1]
    if best == len(decoder) - 1:
        return ""
    return f"""
        Beyond that it rises again, to {decoder[-1]:.1f} at {last:,}: each token looks at all that
        came before, so work grows with the square of the length. A state stays as small as it is.
        """


def in_one_call(whole: tuple[float, ...], cells: tuple[float, ...]) -> str:
    """Why torch's LSTM may be quick, where it is."""
    if whole[-1] > cells[-1] / 2:
        return ""
    return f"""
        PyTorch has all steps of an LSTM as a single operation for CPUs, {whole[-1]:.1f} µs a token
        at the greatest length: what took so long were the calls, not the sums. But its steps still
        wait for each other, and a machine that can do thousands of products at once, such as a GPU,
        is left idle by them.
        """


def before_gradient() -> Prose:
    """What is followed, and along which way."""
    return prose(
        """
        Can the last token's mistake teach the first? Its gradient goes back the way the numbers
        came. In an RNN that is through every state: a product with the same matrix and the slope of
        a bend each time, which mostly makes it smaller. In a decoder it is one attention per block.
        """
    )


def gradient_table(found: OlderWay) -> Table:
    """The length of the way, and what is left at its end."""
    names = tuple(found.slopes)
    return Table(
        "From the last token's loss to the first token",
        ("tokens", "states between", "attentions", *(f"left: {name}" for name in names)),
        tuple(
            (
                f"{length:,}",
                f"{length - 1:,}",
                1,
                *(tiny(found.slopes[name][place]) for name in names),
            )
            for place, length in enumerate(found.lengths)
        ),
        align=(RIGHT,) * (3 + len(names)),
        note="Lengths of gradients, with fresh weights. 0: less than float32 can hold.",
    )


def about_gradient(found: OlderWay) -> str:
    """Where nothing arrives any more, and what still does in the decoder."""
    lost = {
        name: found.lengths[found.slopes[name].index(0)]
        for name in (RNN, LSTM)
        if 0 in found.slopes[name]
    }
    ends = [f"in the {name} from {length:,} tokens on" for name, length in lost.items()]
    nothing = f"Nothing at all arrives {listed(ends)}. " if ends else ""
    return f"""
        {nothing}In the decoder {tiny(found.slopes[DECODER][-1])} is left of
        {tiny(found.slopes[DECODER][0])}: the first token is one of {found.lengths[-1]:,} to be
        looked at, and no more is lost on the way. An LSTM carries a second vector, which is added
        to rather than mapped, so that more comes through; a training can teach it to keep still
        more.
        """


def before_loss(run: TrainingRun, found: OlderWay) -> Prose:
    """How they were trained."""
    return prose(
        f"""
        And what do they make of these sentences? All three learn the same pairs in the same
        {count(run.recipe.epochs, "epoch")} of AdamW, by the recipe that was found for decoders, all
        from seed {run.seed}. The RNN and the LSTM begin as torch {found.torch} draws them.
        """
    )


def about_loss(found: OlderWay) -> str:
    """Who came how near to the floor, without more of a claim than one run bears."""
    best, *_, worst = sorted(found.ways, key=lambda way: way.loss)
    return f"""
        Nearest to the floor comes the {best.name}, {nats(best.loss - found.floor)} above it;
        farthest stays the {worst.name}, {nats(worst.loss - found.floor)} above. It is one run of
        each, and one recipe. For sentences as short as these a state is long enough: the older way
        is not wrong. It is slow where much could be done at once, and forgetful where texts are
        long.
        """
