"""Everything that is printed. The answer goes to standard output, diagnostics to standard error.

Whatever comes from the web or the ledger passes `clean_line` on its way here: one line a field.
Every line passes `clean_layout` in `_say`: what somebody forgot to clean is still one line that no
terminal obeys.
"""

from __future__ import annotations

import json
import os
import re
import sys
from contextlib import contextmanager, suppress
from io import TextIOWrapper
from typing import IO, TYPE_CHECKING, Any, NoReturn, TextIO

import click

from gemsearch import errors
from gemsearch.cli import answers
from gemsearch.core.text import clean_file_name, clean_layout, clean_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from gemsearch.asking import Explanation
    from gemsearch.care.finding import Finding
    from gemsearch.care.forgetting import Chosen
    from gemsearch.core.model import Match, Result, Verdict
    from gemsearch.ledger.reading import Gem, Rejection
    from gemsearch.ledger.statistics import Refusals


def verdict(found: Verdict, *, as_json: bool, seconds_ago: float = 0.0) -> int:
    """Print what the gates decided; gives the exit code."""
    code = answers.EXIT_CODES[found.status]
    if as_json:
        json_value(answers.verdict_json(found, code))
    else:
        lines(answers.verdict_lines(found, seconds_ago))
    return code


def verdict_line(topic: str, outcome: Verdict | errors.GemsearchError) -> None:
    """The JSON object of a verdict or of an error on one line."""
    if isinstance(outcome, errors.GemsearchError):
        found = answers.failure_json(topic, outcome)
    else:
        found = answers.verdict_json(outcome, answers.EXIT_CODES[outcome.status])
    _say(json.dumps(answers.cleaned(found)))


def failed_search(topic: str, error: errors.GemsearchError) -> None:
    """The JSON object of a topic that could not be judged or searched."""
    json_value(answers.failure_json(topic, error))


def explanation(found: Explanation, *, as_json: bool) -> None:
    if as_json:
        json_value(answers.explanation_json(found))
        return
    lines(answers.explanation_lines(found))


def listing(columns: Sequence[str], rows: Iterable[Mapping[str, Any]], form: str | None) -> None:
    """A list of rows as a table, or as JSON, JSON lines or CSV."""
    chosen = [{name: row[name] for name in columns} for row in rows]
    if form == "json":
        json_value(chosen)
    elif form == "nl":
        for row in chosen:
            _say(json.dumps(answers.cleaned(row)))
    elif form == "csv":
        _csv(columns, chosen)
    else:
        table(columns, chosen)


def table(columns: Sequence[str], rows: Sequence[Mapping[str, Any]]) -> None:
    """Rows in aligned columns; the last column may be of any length."""
    cells = [[_cell(row[name]) for name in columns] for row in rows]
    widths = [max([len(name), *(len(line[i]) for line in cells)]) for i, name in enumerate(columns)]
    widths[-1] = 0
    for line in [list(columns), *cells]:
        _say("  ".join(f"{text:{w}}" for text, w in zip(line, widths, strict=True)).rstrip())


def lines(texts: Iterable[str]) -> None:
    for text in texts:
        _say(text)


def drawn(texts: Iterable[str]) -> None:
    """Lines with bars in them, for terminals that lack their letters too."""
    try:
        "█░".encode(sys.stdout.encoding or "ascii")
    except UnicodeEncodeError:
        texts = (text.translate({ord("█"): "#", ord("░"): "-"}) for text in texts)
    lines(texts)


def line(text: str) -> None:
    _say(text)


def note(text: str) -> None:
    """A diagnostic line on standard error."""
    _say(clean_line(text), err=True)


def json_value(value: object) -> None:
    click.echo(json.dumps(answers.cleaned(value), indent=2))  # ASCII: its line ends are its own


def path(name: str) -> None:
    """A path for another program to use; in a terminal its hidden characters are written out."""
    if sys.stdout.isatty():
        _say(clean_file_name(name))
    else:
        # click.echo would take colours out of it, and a name need not be text.
        sys.stdout.buffer.write(os.fsencode(name) + b"\n")


def gem(found: Gem, its_results: Sequence[Result], *, as_json: bool) -> None:
    """A stored gem as `search` printed it."""
    if as_json:
        json_value(found._asdict() | {"results": [result._asdict() for result in its_results]})
        return
    lines(answers.gem_lines(found, its_results))


def rejection(stored: Rejection, match: Match) -> None:
    lines(answers.rejection_lines(stored, match))


def results(found: Iterable[Result]) -> None:
    lines(answers.result_lines(found))


def marked(stored: Rejection, label: str) -> None:
    line(f"Rejection #{stored.id} marked {label}: {clean_line(stored.topic, answers.TOPIC_CELLS)}")


def about_to_forget(chosen: Chosen) -> None:
    for found in chosen.gems:
        line(f"gem #{found.id} {clean_line(found.topic, answers.TOPIC_CELLS)}  [{found.day}]")
    for refused in chosen.rejections:
        topic = clean_line(refused.topic, answers.TOPIC_CELLS)
        line(f"rejection #{refused.id} {topic}  [{refused.day}]")
    if chosen.attempts:
        line(f"attempts: {len(chosen.attempts)}")


def settings(values: Mapping[str, object], prefix: str = "") -> None:
    """Dotted names and values, one a line. A key or a password is not for whoever reads along."""
    for name, value in values.items():
        if isinstance(value, dict):
            settings(value, f"{prefix}{name}.")
        else:
            shown = "(not shown: it looks like a secret)" if _is_secret(name, value) else value
            line(clean_line(f"{prefix}{name} = {shown}"))


def _is_secret(name: str, value: object) -> bool:
    from gemsearch.config import SECRET_NAMES
    from gemsearch.core.secrets import find_secret

    text = str(value)
    named = name.rsplit(".", 1)[-1].lower() in SECRET_NAMES
    return named or bool(re.search(r"://[^/?#\s]*@", text) or find_secret(text))


def statistics(
    counts: Mapping[str, int | Mapping[str, int]], profiles: Sequence[Refusals], *, as_json: bool
) -> None:
    if as_json:
        json_value({"counts": counts, "profiles": [one._asdict() for one in profiles]})
        return
    for name, count in counts.items():
        if isinstance(count, int):
            line(f"{count:8}  {name}")
    for name, group in counts.items():
        if not isinstance(group, int) and group:
            listed = ", ".join(f"{clean_line(str(key))} {n}" for key, n in group.items())
            line(f"{name}: {listed}")
    line("")
    proposed = profiles[0].proposed if profiles else 0
    line(f"The query gate on the last {proposed} proposed topics, in their order:")
    rows = [
        {
            "profile": one.profile,
            "refused": one.refused,
            "by signal": ", ".join(f"{signal} {n}" for signal, n in one.by_signal.items()),
        }
        for one in profiles
    ]
    table(("profile", "refused", "by signal"), rows)


def findings(found: Sequence[Finding], *, as_json: bool) -> None:
    if as_json:
        json_value([one._asdict() for one in found])
        return
    if not found:
        line("Nothing to mend.")
    for one in found:
        line(f"{one.severity:7}  {one.about}: {clean_line(one.message)}")
        if one.command:
            line(f"         -> {clean_line(one.command)}")


def step(said: str, command: str) -> None:
    line(f"# {said}")
    line(f"$ {command}")


def text_file(name: str, texts: Iterable[str]) -> None:
    """Lines to a file, whole or not at all."""
    with _written(name) as out:
        out.writelines(f"{text}\n" for text in texts)


def json_lines_to(file: str, values: Iterable[object]) -> int:
    """One JSON object a line, to a file or ("-") standard output; gives the number of lines.

    The texts stay as they are: JSON escapes whatever a terminal could obey.
    """
    written = 0
    with _written(file) as out:
        for value in values:
            out.write(json.dumps(value) + "\n")
            written += 1
    return written


@contextmanager
def _written(file: str) -> Iterator[IO[str]]:
    try:
        with click.open_file(file, "w", encoding="utf-8", atomic=file != "-") as out:
            yield out
    except BrokenPipeError:
        raise
    except OSError as error:
        raise errors.WrongCall(
            f"{clean_file_name(file)} can't be written: {error.strerror}",
            hint="Name another file.",
        ) from error


@contextmanager
def progress(label: str) -> Iterator[Callable[[float], None]]:
    """Gives a function that takes the part done, 0 to 1; a bar is shown in a terminal only."""
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    with click.progressbar(length=1000, label=clean_line(label), file=sys.stderr) as bar:
        yield lambda done: bar.update(int(done * 1000) - bar.pos)


@contextmanager
def reading_lines(file: TextIO) -> Iterator[Iterable[str]]:
    """The lines of a file; a terminal sees how far it is where the length is known."""
    from gemsearch.batch import lines_of  # start-up

    size = os.fstat(file.fileno()).st_size if file.seekable() else 0
    if not size:
        yield lines_of(file)
        return
    with progress("reading") as advance:
        yield _counted(lines_of(file), size, advance)


def _counted(texts: Iterable[str], size: int, advance: Callable[[float], None]) -> Iterator[str]:
    done = 0
    for text in texts:
        done += len(text.encode("utf-8", "surrogateescape"))
        advance(min(1.0, done / size))
        yield text


def failure(error: errors.GemsearchError, *, about_topic: bool) -> None:
    _diagnose(error.message, error.hint, about_topic=about_topic)


def usage(error: click.ClickException, *, about_topic: bool) -> None:
    context = error.ctx if isinstance(error, click.UsageError) else None
    hint = f"See `{context.command_path} --help`." if context else ""
    _diagnose(error.format_message(), hint, about_topic=about_topic)


def interrupted(how: str, *, about_topic: bool) -> None:
    _diagnose(how, "", about_topic=about_topic)


def unwritable(error: OSError) -> None:
    """What no command expected of the system, mostly output that can't be written: it is given up.

    Nothing is said of the topic: it may well be recorded by now.
    """
    reason = error.strerror or type(error).__name__
    name = clean_file_name(str(error.filename)) if error.filename else "standard output"
    _diagnose(f"{name} can't be written ({reason})", "", about_topic=False)
    nobody_listens()


def open_streams() -> None:
    """Read and write nothing where a standard stream is closed; its number must go to no file."""
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            opened = os.open(os.devnull, os.O_RDWR)  # takes the lowest number that is free
            setattr(sys, name, os.fdopen(opened, "w" if number else "r"))


def expect_any_letter() -> None:
    """Write out what the terminal's encoding has no letter for, rather than fail half-way."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def flush() -> None:
    """Say it now: a closed pipe must be noticed here, not at the interpreter's exit."""
    sys.stdout.flush()


def leave(code: int) -> NoReturn:
    """End the process at once.

    Everything is written and closed by now, and taking the interpreter apart would cost a refusal
    a seventh of its time (bench/startup.py).
    """
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError):
            stream.flush()
    os._exit(code)


def nobody_listens() -> None:
    """Standard output takes no more; keep the interpreter from complaining about it at its exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _diagnose(message: str, hint: str, *, about_topic: bool) -> None:
    with suppress(OSError):  # the exit code still tells
        for text in answers.failure_lines(message, hint, about_topic=about_topic):
            _say(text, err=True)


def _say(text: str, *, err: bool = False) -> None:
    """One line, whatever is in it."""
    click.echo(clean_layout(text), err=err)


def _cell(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.2f}"
    return clean_line(str(value), answers.TOPIC_CELLS)


def _csv(columns: Sequence[str], rows: Iterable[Mapping[str, Any]]) -> None:
    import csv

    writer = csv.writer(sys.stdout)
    writer.writerow(columns)
    for row in rows:
        writer.writerow([_csv_cell(row[name]) for name in columns])


def _csv_cell(value: object) -> object:
    if not isinstance(value, str):
        return value
    # A spreadsheet runs a cell that starts with one of these, in full width too; where it takes the
    # semicolon for a separator, a cell starts behind one. A quote mark makes it text.
    return re.sub(r"(^|;)( ?)(?=[=+\-@\uff1d\uff0b\uff0d\uff20])", r"\1\2'", clean_line(value))


def edition_report(published: Mapping[str, int], withheld: Mapping[tuple[str, str], int]) -> None:
    """Counts only: a report that showed what it withholds would be the leak."""
    table(("rows", "published"), [{"rows": n, "published": name} for name, n in published.items()])
    if not withheld:
        return
    line("")
    rows = [
        {"rows": n, "withheld": name, "because": reason}
        for (name, reason), n in sorted(withheld.items(), key=lambda row: (row[0][0], -row[1]))
    ]
    table(("rows", "withheld", "because"), rows)


def edition_written(paths: Sequence[str]) -> None:
    line("")
    for name in paths:
        line(f"written  {clean_file_name(name)}")
