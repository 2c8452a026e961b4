// The compiler says here whether opencode would take the shim.
import type { Plugin } from "@opencode-ai/plugin"
import { gemsearch } from "./opencode.js"

export const fits: Plugin = gemsearch
