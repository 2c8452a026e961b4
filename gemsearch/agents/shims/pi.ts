
type Call = { toolName: string; toolCallId: string; input: unknown }
type Content = { type: "text"; text: string } | { type: "image"; data: string; mimeType: string }
type Found = Call & { content: Content[]; details?: unknown; isError: boolean }
type Context = { cwd: string; sessionManager: { getSessionId(): string } }
type Handler<E, R> = (event: E, context: Context) => Promise<R | undefined>
type Extension = {
  on(event: "tool_call", handler: Handler<Call, { block?: boolean; reason?: string }>): void
  on(event: "tool_result", handler: Handler<Found, { content?: Content[] }>): void
}

const facts = (call: Call, context: Context) => ({
  tool: call.toolName,
  session: context.sessionManager.getSessionId(),
  call_id: call.toolCallId,
  cwd: context.cwd,
  input: call.input,
})

// A search may be a script in a shell: pi has no search tool of its own.
function concerns({ toolName, input }: Call): boolean {
  if (toolName !== "bash") return mayBeSearch(toolName)
  const command = JSON.stringify(input) ?? ""
  return ["search", "ddgr", "googler", ...TOOLS].some((name) => command.includes(name))
}

const textBlock = (text: string): Content => ({ type: "text", text })

export default function gemsearch(pi: Extension): void {
  pi.on("tool_call", async (call, context) => {
    if (!concerns(call)) return undefined
    const answer = await ask("pre", () => facts(call, context))
    keep(call.toolCallId, answer.note)
    return typeof answer.deny === "string" ? { block: true, reason: answer.deny } : undefined
  })
  pi.on("tool_result", async (found, context) => {
    if (!concerns(found)) return undefined
    const text = found.content.map((block) => ("text" in block ? block.text : "")).join("\n")
    const answer = await ask(found.isError ? "fail" : "post", () => ({
      ...facts(found, context),
      ...(found.isError ? { error: text } : { text, details: found.details }),
    }))
    const said = notesOn(found.toolCallId, answer.note)
    if (typeof answer.replace === "string") return { content: [textBlock(answer.replace)] }
    if (!said.length) return undefined
    return { content: [...found.content, ...said.map(textBlock)] }
  })
}
