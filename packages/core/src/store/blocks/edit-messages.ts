/** The messages behind block edits: the input of a run, and the message of each call. */
import type { ToolCall } from "../../shared/content.ts";
import type { Scope } from "../engine/scope.ts";

export interface RunMessages {
  /** Messages before the agent's first reply. */
  readonly inputIds: readonly string[];
  readonly calls: readonly { readonly messageId: string; readonly stepId: string | null; readonly callId: string }[];
}

/** Below SQLite's limit of 32,766 parameters per statement. */
const runsPerStatement = 5_000;

/** By run; runs whose messages were deleted are omitted. */
export async function loadRunMessages(scope: Scope, runIds: readonly string[]): Promise<Map<string, RunMessages>> {
  const found = new Map<string, RunMessages>();
  for (let start = 0; start < runIds.length; start += runsPerStatement) {
    const rows = await scope
      .select("message")
      .select(["id", "run_id", "step_id", "role", "tool_calls"])
      .where("run_id", "in", runIds.slice(start, start + runsPerStatement))
      .where("role", "<>", "tool")
      .orderBy("seq")
      .execute();
    for (const [runId, messages] of Map.groupBy(rows, (row) => row.run_id)) {
      if (runId !== null) found.set(runId, describeRun(messages));
    }
  }
  return found;
}

function describeRun(
  rows: readonly { id: string; step_id: string | null; role: string; tool_calls: string | null }[],
): RunMessages {
  const first = rows.findIndex((row) => row.role === "assistant" || row.tool_calls !== null);
  return {
    inputIds: rows.slice(0, first < 0 ? rows.length : first).map(({ id }) => id),
    calls: rows.flatMap((row) => {
      const calls = JSON.parse(row.tool_calls ?? "null") as readonly ToolCall[] | null;
      return (calls ?? []).map((call) => ({ messageId: row.id, stepId: row.step_id, callId: call.id }));
    }),
  };
}
