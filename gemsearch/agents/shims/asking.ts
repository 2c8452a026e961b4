import { spawn } from "node:child_process"

const AGENT = ""
const COMMAND: string[] = []
const TOOLS: string[] = []
const MILLISECONDS = 2500

type Answer = { deny?: string; note?: string; replace?: string }
type Event = "pre" | "post" | "fail"
type Facts = { tool: string; session: string; call_id: string; cwd: string; input: unknown }

// A search that can't be judged is let through, unless --fail-closed was chosen.
function unanswered(event: Event): Answer {
  const closed = event === "pre" && COMMAND.includes("--fail-closed")
  return closed ? { deny: "gemsearch gave no answer; see `gemsearch doctor`." } : {}
}

// The hook's answer to one event. Never throws and never waits longer than MILLISECONDS: an error
// that leaves a handler could block the tool.
function ask(event: Event, facts: () => Facts & { [more: string]: unknown }): Promise<Answer> {
  return new Promise((resolve) => {
    let said = ""
    let timer: ReturnType<typeof setTimeout> | undefined
    const settle = (answer: () => Answer) => {
      clearTimeout(timer)
      try {
        resolve(answer())
      } catch {
        resolve(unanswered(event))
      }
    }
    try {
      const payload = JSON.stringify({ agent: AGENT, event, ...facts() })
      const [program = "", ...words] = COMMAND
      const hook = spawn(program, words, { stdio: ["pipe", "pipe", "ignore"] })
      timer = setTimeout(() => {
        hook.kill("SIGKILL")
        settle(() => unanswered(event))
      }, MILLISECONDS)
      hook.on("error", () => settle(() => unanswered(event)))
      hook.on("close", () => settle(() => Object(JSON.parse(said)) as Answer))
      hook.stdin.on("error", () => {})
      hook.stdout.setEncoding("utf8").on("data", (part: string) => (said += part))
      hook.stdin.end(payload)
    } catch {
      settle(() => unanswered(event))
    }
  })
}

// What the hook said before a search is shown with its results: no agent takes a note any earlier.
const notes = new Map<string, string>()

function keep(call_id: string, note: unknown): void {
  if (typeof note === "string") notes.set(call_id, note)
}

function notesOn(call_id: string, note: unknown): string[] {
  const said = [notes.get(call_id), note]
  notes.delete(call_id)
  return said.filter((one): one is string => typeof one === "string")
}

// No Python is started for a tool that can't be a web search, nor for gemsearch's own.
const mayBeSearch = (tool: string) =>
  TOOLS.includes(tool) || (/search/i.test(tool) && !/gemsearch/i.test(tool))
