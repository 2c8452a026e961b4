// The compiler says here whether pi would take the shim.
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent"
import gemsearch from "./pi.js"

export const fits: (pi: ExtensionAPI) => void = gemsearch
