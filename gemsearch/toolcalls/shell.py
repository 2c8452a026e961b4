"""Searches that agents run as shell commands."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from gemsearch.toolcalls import names, topics

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_LONGEST = 20_000  # characters of a command that are looked at; longer ones hold documents
_NESTED = 3  # bash -c "bash -c ..."

_OWN = frozenset("search check record explain".split())
_SEARCHES = frozenset("ddgr googler".split())
_RUNNERS = frozenset(
    "bash bun bunx bunx command deno dash doas env exec fish ionice nice node nodejs nohup npx pipx"
    " pnpm poetry python python3 run sh stdbuf sudo time timeout tsx uv uvx yarn zsh".split()
)
_SHELLS = frozenset("bash dash fish sh zsh".split())
_WITHOUT_VALUE = frozenset(
    "--allow-secret --content --exact --expand --extract --force --full --help --json --markdown"
    " --no-cache --noprompt --np --nl --private --quiet --raw --text --unsafe --verbose -h -j -q -v"
    " -x".split()
)
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=")
_VARIABLE = re.compile(r"\$(?:\w+|\{\w+\}|@|\*)")
_AMOUNT = re.compile(r"\d+(?:\.\d+)?[smhd]?")


class ShellSearch(NamedTuple):
    kind: str  # names.SEARCH, or names.OWN for `gemsearch search` and its like
    topic: str


def searched_in(command: str, scripts: frozenset[str] = frozenset()) -> ShellSearch | None:
    """The web search that a shell command runs, if it runs a known search script.

    `scripts` are further base names, or folder/name endings, that a person configured.
    The first search of several counts. A topic that is only a variable is not known, so None.
    """
    if not _may_search(command, scripts):
        return None
    return _searched(command, scripts, _NESTED)


def command_of(arguments: object) -> str:
    """The command in a shell tool's arguments, a mapping or JSON text of one; "" if none."""
    found = topics.mapping_of(arguments)
    command = found.get("command") or found.get("cmd")
    if isinstance(command, str):
        return command
    if isinstance(command, list) and all(isinstance(word, str) for word in command):
        import shlex  # start-up

        return shlex.join(command)
    return ""


def _may_search(command: str, scripts: frozenset[str]) -> bool:
    """Decides without splitting the command: nearly all commands end here."""
    if len(command) > _LONGEST:
        return False
    return (
        "search" in command
        or any(name in command for name in _SEARCHES)
        or any(script in command for script in scripts)
    )


def _searched(command: str, scripts: frozenset[str], depth: int) -> ShellSearch | None:
    for words in _simple_commands(command):
        inner = _inner_command(words)
        if inner is not None:
            found = _searched(inner, scripts, depth - 1) if depth > 1 else None
        else:
            found = _search_of(_without_runners(words), scripts)
        if found is not None:
            return found
    return None


def _simple_commands(command: str) -> Iterator[list[str]]:
    """The words of each command in a list or pipe, redirections and here-documents left out."""
    import shlex  # start-up

    lexer = shlex.shlex(
        command.split("<<", maxsplit=1)[0], posix=True, punctuation_chars=";|&()<>\n"
    )
    lexer.whitespace = " \t\r"
    lexer.whitespace_split = True
    lexer.commenters = ""  # `c#` is a word
    words: list[str] = []
    skipped = comment = False
    try:
        for word in lexer:
            if word and not word.strip(";|&()\n"):
                yield words
                words, skipped, comment = [], False, comment and "\n" not in word
            elif word and not word.strip("<>&|"):
                if words and words[-1].isdigit():
                    words.pop()  # 2>/dev/null
                skipped = True
            elif skipped or comment:
                skipped = False
            elif word == "#" or (word.startswith("#") and not words):
                comment = True
            else:
                words.append(word)
    except ValueError:
        return  # a quote that nobody closed: not a command that ran
    yield words


def _inner_command(words: Sequence[str]) -> str | None:
    """What `bash -lc "..."` runs."""
    for place, word in enumerate(words[:-2]):
        if _base(word) in _SHELLS:
            flag = words[place + 1]
            return words[place + 2] if flag.startswith("-") and flag.endswith("c") else None
        if _base(word) not in _RUNNERS and not _ASSIGNMENT.match(word):
            return None
    return None


def _without_runners(words: Sequence[str]) -> Sequence[str]:
    """From the program on that does the work: no assignments, interpreters, `timeout 30`."""
    for place, word in enumerate(words):
        passed = (
            _ASSIGNMENT.match(word)
            or word.startswith("-")
            or _base(word) in _RUNNERS
            or (place and _AMOUNT.fullmatch(word))
        )
        if not passed:
            return words[place:]
    return ()


def _search_of(words: Sequence[str], scripts: frozenset[str]) -> ShellSearch | None:
    if len(words) < 2:
        return None
    if _base(words[0]) == "gemsearch":
        return _own_call(words[1:])
    arguments = _arguments_of_search(words, scripts)
    topic = _topic(arguments)
    if not topic or _VARIABLE.fullmatch(topic):
        return None
    return ShellSearch(names.SEARCH, topic)


def _own_call(words: Sequence[str]) -> ShellSearch | None:
    for place, word in enumerate(words):
        if word in _OWN:
            return ShellSearch(names.OWN, _topic(words[place + 1 :]))
    return None


def _arguments_of_search(words: Sequence[str], scripts: frozenset[str]) -> Sequence[str]:
    """The arguments if the program searches the web, else none."""
    path = words[0].replace("\\", "/")
    folder, _, name = path.rpartition("/")
    stem = re.sub(r"\.\w{1,4}$", "", name)
    if name in _SEARCHES or any(path == one or path.endswith(f"/{one}") for one in scripts):
        return words[1:]
    if stem == "search":
        return words[1:] if names.is_web_search_server(folder.rpartition("/")[2]) else ()
    if names.kind_of(stem) == names.SEARCH:
        return words[1:]
    if words[1] == "search" and names.is_web_search_server(stem):
        return words[2:]  # a command line of a search engine's own: `exa search ...`
    return ()


def _topic(arguments: Sequence[str]) -> str:
    """The words that are not options, joined as such scripts join them.

    Which options take a value is not known of all. The word after an option is taken for its
    value, unless no word would be left for the topic.
    """
    certain: list[str] = []
    unsure: list[str] = []
    option = ""
    for place, word in enumerate(arguments):
        if word == "--":
            certain.extend(arguments[place + 1 :])
            break
        if len(word) > 1 and word.startswith("-") and not word[1:].isdigit():
            option = "" if "=" in word or word in _WITHOUT_VALUE else word
            continue
        (unsure if option else certain).append(word)
        option = ""
    return " ".join(certain or unsure[-1:]).strip()


def _base(word: str) -> str:
    return word.replace("\\", "/").rpartition("/")[2]
