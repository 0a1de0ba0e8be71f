/** Calls by hand of tools that go out into the web, as a run would make them. */
import { randomUUID } from "node:crypto";
import type { Actor } from "../../shared/actor.ts";
import type { JsonObject } from "../../shared/json.ts";
import { ToolFailure } from "../../shared/tool-failure.ts";
import type { Tool } from "../../store/tools/tools.ts";
import { withThreads } from "../../threads/threads.ts";
import { checkArguments } from "../../tools/arguments.ts";
import { fitArguments } from "../../tools/fit-arguments.ts";
import { parametersOf } from "../../tools/parameters.ts";
import { describeLate, type Executor } from "../../tools/tool.ts";
import { showOutcome, type ToolCallResult } from "./custom-tools.ts";

/** No run stands behind it, so its own name stands in for what a run would call it. */
export async function runOutside(
  executor: Executor,
  actor: Actor,
  place: { readonly agentId: string; readonly conversationId: string },
  tool: Tool,
  input: JsonObject,
): Promise<ToolCallResult> {
  const schema = parametersOf(tool);
  const args = fitArguments(schema, input);
  const name = `call-${randomUUID()}`;
  return await showOutcome(tool.name, tool.returnCharLimit, async () => {
    await withThreads(actor.orgId, () => checkArguments(tool.name, schema, args));
    const late = AbortSignal.timeout(executor.timeoutMs);
    const work = executor.run(args, {
      orgId: actor.orgId,
      userId: actor.userId,
      ...place,
      runId: name,
      stepId: name,
      callId: name,
      called: [],
      key: name,
      signal: late,
    });
    return await work.catch((error: unknown) => {
      throw late.aborted ? new ToolFailure(describeLate(tool.name, executor)) : error;
    });
  });
}
