/** A context made shorter because someone asked for it: a run of its own, in its place among the others. */
import { followRun } from "../../loop/follow.ts";
import type { Loop } from "../../loop/loop.ts";
import { readSummary } from "../../memory/envelopes.ts";
import type { Actor } from "../../shared/actor.ts";
import { type CompactionSettings, compactionModes } from "../../shared/compaction-settings.ts";
import { textOf } from "../../shared/content.ts";
import { invalidInput, MemoirError } from "../../shared/errors.ts";
import type { RunEvent, RunFailure } from "../../shared/events.ts";
import { type Conversation, getConversation, listContextBodyIds } from "../../store/conversations/conversations.ts";
import { findMessage } from "../../store/conversations/messages.ts";
import type { Scope } from "../../store/engine/scope.ts";
import type { Run } from "../../store/runs/runs.ts";

export interface CompactionResult {
  /** What now stands for everything that has left the context; empty when nothing ever has. */
  readonly summary: string;
  /** The system message and the summary count. */
  readonly messagesBefore: number;
  readonly messagesAfter: number;
}

export async function checkCompaction(
  { finder }: Loop,
  { orgId }: Actor,
  { mode, model }: Partial<CompactionSettings>,
): Promise<void> {
  if (mode !== undefined && !compactionModes.includes(mode)) {
    throw invalidInput("mode", `mode is ${mode}; it must be one of ${compactionModes.join(", ")}`);
  }
  if (model !== undefined && model !== null) await finder.resolve(orgId, model);
}

/** Waits for the run's end. */
export async function completeCompaction(scope: Scope, { bus }: Loop, run: Run): Promise<CompactionResult> {
  let done: Extract<RunEvent, { type: "compaction" }> | undefined;
  for await (const event of followRun(bus, scope, run.id)) {
    if (event.type === "compaction") done = event;
    if (event.type === "run-end") rejectEnd(event);
  }
  if (!done) return await describeUnchanged(scope, await getConversation(scope, run.conversationId));
  const summary = await findSummary(scope, done.summaryMessageId);
  if (summary === undefined) {
    throw new MemoirError("conflict", "the context was set by hand while it was summarised, and was left at that");
  }
  return { summary, messagesBefore: done.messagesBefore, messagesAfter: done.messagesAfter };
}

function rejectEnd({ reason, failure }: Extract<RunEvent, { type: "run-end" }>): void {
  if (failure) throw toError(failure);
  if (reason === "cancelled")
    throw new MemoirError("conflict", "the compaction was cancelled; the context is as it was");
}

function toError({ code, message }: RunFailure): Error {
  return code === "internal" ? new Error(message) : new MemoirError(code, message);
}

async function describeUnchanged(scope: Scope, conversation: Conversation): Promise<CompactionResult> {
  const { systemMessageId, summaryMessageId } = conversation;
  const body = await listContextBodyIds(scope, conversation);
  if (body.length > 0) {
    throw new MemoirError(
      "invalid-argument",
      `a summary would not make this context shorter: of its ${body.length} messages fewer than two are done with`,
    );
  }
  const count = [systemMessageId, summaryMessageId].filter((id) => id !== null).length;
  return {
    summary: (summaryMessageId !== null && (await findSummary(scope, summaryMessageId))) || "",
    messagesBefore: count,
    messagesAfter: count,
  };
}

/** The words alone, without what is around them. */
async function findSummary(scope: Scope, id: string): Promise<string | undefined> {
  const message = await findMessage(scope, id);
  if (!message) return undefined;
  const text = textOf(message.content);
  return readSummary(text) ?? text;
}
