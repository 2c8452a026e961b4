"""A ledger to look at: six weeks of invented agents that search the embedded sample pages."""

import random
import sys
from datetime import UTC, datetime, timedelta

from gemsearch import asking, novelty
from gemsearch.core.model import Caller
from gemsearch.errors import SearchFailed
from gemsearch.ledger import reading, writing
from gemsearch.ledger.connection import open_for_writing, write_transaction
from gemsearch.providers.sample import Sample

TOPICS = """
gitleaks pre-commit hook
gitleaks hook for secrets
chezmoi encryption
datasette full-text search
sqlite write-ahead logging
gitleaks hook for secrets
io_uring zero-copy networking internals
ssh connection multiplexing
git absorb
chezmoi age encryption
SONiC architecture
postgres connection pooling
dotfiles manager comparison
sqlite-utils command line
git-absorb
secret scanning in git history
progressive disclosure command palette
feature flags rollout
restic backup encryption
WAL mode in sqlite
named pipes on windows
eBPF tracing tools
XDP tutorial
io_uring networking zero-copy receive
docker multi-stage builds
kubernetes local cluster kind
terminal multiplexer tmux zellij
full-text search in datasette
postgres explain query plans
uv python packaging
property based testing hypothesis
mutation testing python mutmut
rust fuzzing cargo-fuzz
fuzzing with AFL++ and libFuzzer
OpenTelemetry collector pipelines
prometheus alerting on SLOs
structured concurrency in python
git bisect automation
git rerere and range-diff
partial clone and sparse checkout
sparse-checkout and partial clone
wireguard NAT traversal
tailscale NAT traversal internals
vector search in sqlite
sqlite vector search
publishing datasette ledgers
model context protocol servers
MCP python SDK
agent hooks for claude code
llms.txt for documentation
ripgrep user guide
shell history sync atuin
fish shell and nushell
jq yq miller for json
json lines tooling
SBOM generation with syft
container vulnerability scanning trivy
vulnerability scanning containers trivy grype
reproducible builds nix guix
changelog conventions semantic versioning
conventional commits changelog
difflib similarity ratio
minhash near duplicate detection
BM25 ranking
flame graphs py-spy profiling
QUIC RFC 9000
grpc and envoy
accessibility WCAG 2.2 authoring practices
""".strip().splitlines()

MOST_REFUSING = "SELECT gem_id FROM rejections GROUP BY gem_id ORDER BY count(*) DESC, 1"
MOST_SHARED = "SELECT id FROM rejections WHERE shared ORDER BY shared DESC, id"

AGENTS = ("claude-code", "codex", "aider")
PROJECTS = ("atlas", "orchard", None)
SEED = 7


def build(path, last=datetime(2026, 11, 20, 16, tzinfo=UTC)):
    """Propose every topic, some of them twice; gives a gem and a rejection worth showing."""
    chance = random.Random(SEED)
    connection = open_for_writing(str(path))
    moments = sorted(last - timedelta(minutes=chance.randrange(42 * 1440)) for _ in range(110))
    proposed = TOPICS + chance.choices(TOPICS, k=len(moments) - len(TOPICS))
    for number, (moment, topic) in enumerate(zip(moments, proposed, strict=True)):
        _propose(connection, topic, moment, _caller(chance, number))
    _judge_some(connection, last)
    shown = {
        "gem": connection.execute(MOST_REFUSING).fetchone()[0],
        "rejection": connection.execute(MOST_SHARED).fetchone()[0],
    }
    connection.close()
    return shown


def _caller(chance, number):
    return Caller(
        origin=chance.choice(("search", "search", "hook", "record")),
        agent=chance.choice(AGENTS),
        session=f"session-{number // 4}",
        project=chance.choice(PROJECTS),
    )


def _propose(connection, topic, moment, caller):
    proposal = asking.Proposal(topic, caller)
    try:
        novelty.search(connection, proposal, Sample, lambda: moment)
    except SearchFailed:
        return


def _judge_some(connection, now):
    """A person looked at a few refusals."""
    found = list(reading.rejections(connection))
    with write_transaction(connection):
        for refused in found[2:30:9]:
            writing.mark(connection, refused.id, "right", None, now)
        sequence = [one for one in found if one.signal in {"subset", "sequence"}]
        for refused in sequence[:1]:
            writing.mark(connection, refused.id, "wrong", "asked for another tool", now)


if __name__ == "__main__":
    build(sys.argv[1])
