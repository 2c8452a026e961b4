from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import click

from gemsearch.cli import options, render
from gemsearch.core.profiles import DEFAULT, PROFILES
from gemsearch.errors import WrongCall

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from gemsearch.core.profiles import Profile
    from gemsearch.evaluation.source_lists import ListFigures, PairFigures
    from gemsearch.evaluation.stream import StreamFigures, WrongPair

_FILE = click.Path(exists=True, dir_okay=False)


@click.command("eval")
@click.option("--queries", type=_FILE, help="True repeats: columns topic, query.")
@click.option("--novel", type=_FILE, help="New topics: columns source, query.")
@click.option("--leave-out", multiple=True, metavar="GLOB", help="Sources of --novel to skip.")
@click.option("--lists", type=_FILE, help="Result lists: JSON lines with turn, conv, docs.")
@click.option("--pairs", type=_FILE, help="Labelled searches: same_question, queryA, queryB.")
@click.option("--searches", type=_FILE, help="Those searches; else agent_searches.jsonl beside.")
@click.option("--profile", type=click.Choice(list(PROFILES)), default=DEFAULT, show_default=True)
@click.option("--shuffles", type=click.IntRange(1, 1000), default=4, show_default=True)
@click.option("--seed", type=int, default=0, show_default=True)
@click.option("--review", type=click.Path(dir_okay=False), help="Write every wrong pair here.")
@click.option("--verdicts", type=_FILE, help="Reviewed pairs: columns same, proposed, stored.")
@options.db
@options.as_json
def command(db: str | None, as_json: bool, **fields: Any) -> None:
    """Measure the gates on labelled topics, or on this ledger's own marks.

    Without files the rejections that were marked right or wrong are judged again. docs/judgement.md
    tells what is counted and what the files look like.

    \b
    Examples
      gemsearch eval
      gemsearch eval --queries repeats.tsv --novel novel.tsv --review wrong.tsv
      gemsearch eval --profile strict --lists lists.jsonl --json
    """
    profile = PROFILES[fields["profile"]]
    if fields["novel"] and not fields["queries"]:
        raise WrongCall("--novel needs --queries", hint="Repeats and new topics make one stream.")
    if not any(fields[name] for name in ("queries", "lists", "pairs")):
        _own(options.path(db), profile, as_json=as_json)
        return
    streams = _streams(profile, fields)
    lists = _lists(profile, fields)
    pairs = _pairs(profile, fields)
    if fields["review"]:
        found = [pair for figures in streams.values() for pair in figures.pairs]
        render.text_file(fields["review"], _review(found))
    if as_json:
        render.json_value(_as_json(profile, streams, lists, pairs))
    else:
        render.lines(_text(profile, streams, lists, pairs))


def _streams(profile: Profile, fields: dict[str, Any]) -> dict[str, StreamFigures]:
    from gemsearch.evaluation import labelled, stream

    if not fields["queries"]:
        return {}
    repeats = labelled.repeats(fields["queries"])
    novel = labelled.novel(fields["novel"], fields["leave_out"]) if fields["novel"] else {"": []}
    verdicts = labelled.verdicts(fields["verdicts"]) if fields["verdicts"] else frozenset()
    figures = {}
    for kind, topics in novel.items():
        with render.progress(f"topics {kind}") as advance:
            figures[kind] = stream.measure(
                [*repeats, *topics],
                profile,
                shuffles=fields["shuffles"],
                seed=fields["seed"],
                verdicts=verdicts,
                advance=advance,
            )
    return figures


def _lists(profile: Profile, fields: dict[str, Any]) -> ListFigures | None:
    from gemsearch.evaluation import labelled, source_lists

    if not fields["lists"]:
        return None
    with render.progress("result lists") as advance:
        return source_lists.measure_lists(
            labelled.lists(fields["lists"]),
            profile,
            shuffles=fields["shuffles"],
            seed=fields["seed"],
            advance=advance,
        )


def _pairs(profile: Profile, fields: dict[str, Any]) -> PairFigures | None:
    from gemsearch.evaluation import labelled, source_lists

    if not fields["pairs"]:
        return None
    beside = os.path.join(os.path.dirname(fields["pairs"]), "agent_searches.jsonl")
    searches = fields["searches"] or beside
    if not os.path.exists(searches):
        raise WrongCall("--pairs needs the searches", hint="Name their file with --searches.")
    return source_lists.measure_pairs(
        labelled.pairs(fields["pairs"]), labelled.searches(searches), profile
    )


def _own(path: str, profile: Profile, *, as_json: bool) -> None:
    from gemsearch.evaluation.own import measure_marks
    from gemsearch.ledger.opening import opened_for_question

    with opened_for_question(path) as ledger:
        labels = measure_marks(ledger, profile)
    if as_json:
        marks = [one._asdict() for one in labels]
        render.json_value({"profile": profile.name, "marks": marks})
    elif labels:
        render.line(f"Marked rejections, and what {profile.name} says of them now:")
        render.table(labels[0]._fields, [one._asdict() for one in labels])
    else:
        render.line("No rejection is marked: `gemsearch mark REJECTION --right` or `--wrong`.")


def _review(pairs: Iterable[WrongPair]) -> Iterator[str]:
    """Every wrong pair; a copy with 1 or 0 in the first column is a file for --verdicts."""
    yield "same\tproposed\tstored\tsignal\tscore\ttimes"
    for pair in pairs:
        same = int(pair.same)
        yield (f"{same}\t{pair.proposed}\t{pair.stored}\t{pair.signal}\t{pair.score}\t{pair.times}")


def _text(
    profile: Profile,
    streams: dict[str, StreamFigures],
    lists: ListFigures | None,
    pairs: PairFigures | None,
) -> Iterator[str]:
    yield f"Profile {profile.name}; percent [95 % interval]"
    for kind, figures in streams.items():
        yield ""
        yield f"Topics{f' {kind}' if kind else ''}: {figures.proposals} in a shuffle"
        yield f"  repeats refused     {figures.repeats or 'none proposed'}"
        yield from (
            f"    {name:10} {part:6.2f}" for name, part in figures.repeats_by_signal.items()
        )
        for size, wrong in figures.wrong.items():
            if wrong:
                adjudicated = figures.adjudicated[size]
                yield f"  new refused at {size:5} {wrong}   adjudicated {adjudicated}"
        yield from (f"    {name:10} {count:6}" for name, count in figures.wrong_by_signal.items())
    if lists:
        yield ""
        yield f"Result lists: {lists.proposals} in a shuffle"
        yield f"  repeats refused     {lists.repeats}"
        yield f"  by their own need   {lists.repeats_by_need}"
        yield f"  adjacent refused    {lists.adjacent}"
        yield f"  unrelated refused   {lists.unrelated}"
    if pairs:
        precision = f"{pairs.precision:.2f}" if pairs.precision is not None else "none"
        yield ""
        yield "Pairs of searches, in order of time"
        yield f"  same question kept  {pairs.same_kept} of {pairs.same}"
        yield f"  adjacent refused    {pairs.adjacent_refused} of {pairs.adjacent}"
        yield f"  precision           {precision}"


def _as_json(
    profile: Profile,
    streams: dict[str, StreamFigures],
    lists: ListFigures | None,
    pairs: PairFigures | None,
) -> dict[str, object]:
    return {
        "profile": profile.name,
        "streams": {kind: _plain(figures) for kind, figures in streams.items()},
        "lists": _plain(lists),
        "pairs": _plain(pairs) and pairs and pairs._asdict() | {"precision": pairs.precision},
    }


def _plain(value: object) -> Any:
    """NamedTuples as objects, all the way down."""
    if isinstance(value, tuple) and hasattr(value, "_asdict"):
        return {name: _plain(inner) for name, inner in value._asdict().items()}
    if isinstance(value, dict):
        return {str(name): _plain(inner) for name, inner in value.items()}
    return [_plain(inner) for inner in value] if isinstance(value, tuple) else value
