#!/usr/bin/env bash
# Installs what tests/agents/test_shims.py needs besides Node: TypeScript, and the types of agents
# that publish them, at the versions in tests/agents/shims/package.json. Nothing of it is shipped.
set -euo pipefail
cd "$(dirname "$0")/../tests/agents/shims"
npm install --no-package-lock --ignore-scripts --no-audit --no-fund --loglevel=error
