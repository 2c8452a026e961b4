// Plays opencode or pi: loads a shim, gives it the events on standard input, and writes down what
// it answered to each: what it returned, what it threw, and what became of the tool's output.
import { text } from "node:stream/consumers"

const [, , agent, shim] = process.argv
const module = await import(shim)
const { events } = JSON.parse(await text(process.stdin))

async function hooks() {
  if (agent === "opencode") return module.gemsearch({ directory: process.cwd() })
  const handlers = {}
  module.default({ on: (event, handler) => (handlers[event] = handler) })
  return handlers
}

const handlers = await hooks()
const context = { cwd: process.cwd(), sessionManager: { getSessionId: () => "session-1" } }
const answers = []
for (const { on, call, output } of events) {
  const second = agent === "opencode" ? output : context
  try {
    answers.push({ returned: (await handlers[on](call, second)) ?? null, output })
  } catch (error) {
    answers.push({ threw: String(error.message) })
  }
}
process.stdout.write(JSON.stringify(answers))
