/** A run as its callers watch it: what each step said and did once it is in the conversation, then how it ended. */
import { followRun } from "../../loop/follow.ts";
import type { Loop } from "../../loop/loop.ts";
import { apply, initialState, type RunState } from "../../loop/state.ts";
import type { LoggedEvent, RunFailure } from "../../shared/events.ts";
import { findMessage, listRunMessages, type Message } from "../../store/conversations/messages.ts";
import type { Scope } from "../../store/engine/scope.ts";
import { getRun, inputIdsOf, type Run } from "../../store/runs/runs.ts";

export type RunPiece =
  /** Pieces of a reply as they arrived, where the sender wanted them. */
  | { readonly type: "delta"; readonly event: Extract<LoggedEvent, { type: "delta" }> }
  /** What a step added to the conversation, in order. */
  | { readonly type: "step"; readonly messages: readonly Message[] }
  /** Messages left the context; the summary stands in their place. */
  | { readonly type: "compaction"; readonly event: CompactionEvent; readonly summary: Message | undefined }
  | { readonly type: "end"; readonly run: Run; readonly state: RunState; readonly failure: RunFailure | undefined };

type CompactionEvent = Extract<LoggedEvent, { type: "compaction" }>;

export async function* streamRun(
  loop: Loop,
  scope: Scope,
  runId: string,
  signal?: AbortSignal,
): AsyncGenerator<RunPiece> {
  let state: RunState = initialState;
  for await (const event of followRun(loop.bus, scope, runId, 0, signal)) {
    const stepId = state.open?.reply.stepId;
    state = apply(state, event);
    if (event.type === "delta") yield { type: "delta", event };
    if (event.type === "step-end" && stepId) {
      yield { type: "step", messages: await loadStep(loop, scope, runId, stepId) };
    }
    if (event.type === "compaction") {
      yield { type: "compaction", event, summary: await findMessage(scope, event.summaryMessageId) };
    }
    if (event.type === "run-end") {
      const run = loop.bus.find(scope.orgId, runId)?.run ?? (await getRun(scope, runId));
      yield { type: "end", run, state, failure: event.failure };
    }
  }
}

/** Without the input, which carries the id of the first step too. */
async function loadStep(loop: Loop, scope: Scope, runId: string, stepId: string): Promise<Message[]> {
  const record = loop.bus.find(scope.orgId, runId);
  const known = record?.messages.filter((message) => message.stepId === stepId) ?? [];
  if (known.length > 0) return known;
  const run = await getRun(scope, runId);
  const input = inputIdsOf(run);
  return (await listRunMessages(scope, runId)).filter(({ id, stepId: own }) => own === stepId && !input.has(id));
}
