
type Call = { tool: string; sessionID: string; callID: string; args?: unknown }
type Found = { output?: string; metadata?: unknown; content?: { type: string; text?: string }[] }

// What an MCP tool found stands in `content`, what a built-in tool found in `output`.
const textOf = (found: Found) =>
  found.output ?? (found.content ?? []).map((block) => block.text ?? "").join("\n")

function put(found: Found, text: string): void {
  if (Array.isArray(found.content)) found.content = [{ type: "text", text }]
  if (found.output !== undefined || !found.content) found.output = text
}

export const gemsearch = async ({ directory }: { directory: string }) => {
  const facts = (call: Call, input: unknown) => ({
    tool: call.tool,
    session: call.sessionID,
    call_id: call.callID,
    cwd: directory,
    input,
  })
  return {
    "tool.execute.before": async (call: Call, { args }: { args: unknown }) => {
      if (!mayBeSearch(call.tool)) return
      const answer = await ask("pre", () => facts(call, args))
      if (typeof answer.deny === "string") throw new Error(answer.deny)
      keep(call.callID, answer.note)
    },
    "tool.execute.after": async (call: Call, found: Found) => {
      if (!mayBeSearch(call.tool) || !found) return
      const text = textOf(found)
      const answer = await ask("post", () => ({
        ...facts(call, call.args),
        text,
        details: found.metadata,
      }))
      const said = notesOn(call.callID, answer.note)
      if (typeof answer.replace === "string") put(found, answer.replace)
      else if (said.length) put(found, [text, ...said].join("\n\n"))
    },
  }
}
