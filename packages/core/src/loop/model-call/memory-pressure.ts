/** Tells an agent that its context is filling up while it can still save what matters. */
import { systemEnvelope } from "../../memory/envelopes.ts";
import type { RunEvent } from "../../shared/events.ts";
import { updateConversation } from "../../store/conversations/conversations.ts";
import { insertMessages, newMessage } from "../../store/conversations/messages.ts";
import { appendEvents } from "../../store/runs/run-log.ts";
import { fenceRun } from "../../store/runs/runs.ts";
import { canEditMemory } from "../../tools/offered-tools.ts";
import { addToTurn, type Drive } from "../commit.ts";
import { apply, type RunState } from "../state.ts";
import type { Turn } from "../turn.ts";
import { writeRun } from "../write-run.ts";
import { fullTokens, type Need, pressingTokens } from "./measure.ts";

/** Once for each time the context crosses the line, and only to those who can do something about it. */
export function isWarningDue(turn: Turn, { tokens }: Need): boolean {
  const { contextWindow } = turn.model;
  if (turn.conversation.warnedAt !== null || turn.isWarned) return false;
  if (tokens < pressingTokens(contextWindow) || tokens >= fullTokens(contextWindow)) return false;
  return canEditMemory(turn.tools);
}

export async function warn(drive: Drive, turn: Turn, before: RunState, { tokens }: Need): Promise<RunState> {
  const { loop, run } = drive;
  const done = await writeRun(drive, async (scope) => {
    await fenceRun(scope, run);
    const text = systemEnvelope(describe(tokens, turn.model.contextWindow), {
      at: scope.now(),
      timezone: turn.agent.timezone,
    });
    const message = newMessage(scope, {
      agentId: turn.agent.id,
      conversationId: run.conversationId,
      role: "system",
      content: [{ type: "text", text }],
      runId: run.id,
      createdBy: run.createdBy,
      updatedBy: run.createdBy,
    });
    await insertMessages(scope, [message]);
    await updateConversation(scope, run.conversationId, { warnedAt: scope.now() });
    const event: RunEvent = { type: "memory-pressure", messageId: message.id, tokens };
    const logged = await appendEvents(scope, run, before.length, [event]);
    return { message, logged, state: apply(before, event) };
  });
  turn.isWarned = true;
  addToTurn(turn, [done.message]);
  loop.bus.publish(run.id, done.logged, [done.message]);
  return done.state;
}

function describe(tokens: number, contextWindow: number): string {
  const share = Math.round((tokens / contextWindow) * 100);
  return (
    `Your context is ${share} % full. Soon its older messages will be replaced by a summary. ` +
    "Whatever has to stay exact, write it into your memory now; then go on with what you were doing. " +
    "The user does not see this note and needs no answer to it."
  );
}
