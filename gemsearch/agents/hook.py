"""The hook that agents run around their tool calls.

    gemsearch-hook AGENT [--db PATH] [--mode MODE] [--source-mode MODE] [--fail-closed]

AGENT is claude-code, codex, gemini, opencode, pi, omp, copilot or cursor. The agent's JSON comes on
standard input, its answer goes to standard output, which holds nothing else. The exit code is 0
always: agents take others for a refusal. A MODE is deny, warn (a note for the model) or record
(nothing is said), for covered topics and for recurring sources; the ledger's settings hold the
defaults. When something goes wrong the search goes on, and a line in a log tells of it, which
`gemsearch doctor` shows; with --fail-closed a search that could not be checked is denied.
"""

from __future__ import annotations

import gc
import sys


def main() -> None:
    """Answer one event and end the process."""
    if {"-h", "--help"} & set(sys.argv[1:]):
        sys.stdout.write(__doc__)
        return
    gc.disable()  # nothing lives long enough here, and looking for it takes a twentieth of the time
    from gemsearch.agents import lean

    lean.stand_in()
    from gemsearch.agents.answering import run

    run(sys.argv[1:])


if __name__ == "__main__":
    main()
