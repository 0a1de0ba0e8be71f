/** The commit of a compaction: the summary, where the context begins now, and the event, all or nothing. */
import { type CompactionStats, readEvicted, summaryEnvelope } from "../../memory/envelopes.ts";
import { toTranscript } from "../../memory/transcript.ts";
import { textOf } from "../../shared/content.ts";
import type { CompactionTrigger, RunEvent } from "../../shared/events.ts";
import { ensureAgentArchive } from "../../store/archives/archives.ts";
import { insertPassages, newPassage } from "../../store/archives/passages.ts";
import type { Watermarks } from "../../store/conversations/context-rows.ts";
import { getConversation, updateConversation } from "../../store/conversations/conversations.ts";
import { insertMessages, type Message, newMessage } from "../../store/conversations/messages.ts";
import type { Scope } from "../../store/engine/scope.ts";
import { appendEvents } from "../../store/runs/run-log.ts";
import { fenceRun } from "../../store/runs/runs.ts";
import type { Drive } from "../commit.ts";
import { pressingTokens } from "../model-call/measure.ts";
import { insertSummarySteps, summariesOf } from "../model-call/summary-steps.ts";
import { apply, type RunState } from "../state.ts";
import { tellSummarySteps } from "../step-ends.ts";
import type { Turn } from "../turn.ts";
import { writeRun } from "../write-run.ts";

type CompactionEvent = Extract<RunEvent, { type: "compaction" }>;

export interface Compaction {
  readonly event: Omit<CompactionEvent, "summaryMessageId">;
  readonly summary: string;
  readonly evicted: readonly Message[];
  readonly start: Watermarks | undefined;
  readonly archives: boolean;
}

export async function commitCompaction(
  drive: Drive,
  turn: Turn,
  before: RunState,
  compaction: Compaction,
): Promise<RunState> {
  const { loop, run, summaryCalls = [] } = drive;
  const done = await writeRun(drive, async (scope) => {
    await fenceRun(scope, run);
    const summary = composeSummary(scope, turn, compaction);
    const event: CompactionEvent = {
      ...compaction.event,
      summaryMessageId: summary.id,
      ...summariesOf(summaryCalls),
    };
    await insertSummarySteps(scope, turn, summaryCalls);
    const logged = await appendEvents(scope, run, before.length, [event]);
    // Someone has set the context by hand meanwhile: theirs is the shorter one.
    const isSame = await isUnchanged(scope, turn);
    if (isSame) await writeCompaction(scope, turn, compaction, summary);
    return { logged, state: apply(before, event), messages: isSame ? [summary] : [] };
  });
  drive.summaryCalls = [];
  loop.bus.publish(run.id, done.logged, done.messages);
  tellSummarySteps(drive, summaryCalls);
  return done.state;
}

async function isUnchanged(scope: Scope, { conversation }: Turn): Promise<boolean> {
  const { watermark, entryWatermark, summaryMessageId } = await getConversation(scope, conversation.id);
  return (
    watermark === conversation.watermark &&
    entryWatermark === conversation.entryWatermark &&
    summaryMessageId === conversation.summaryMessageId
  );
}

async function writeCompaction(
  scope: Scope,
  turn: Turn,
  { start, evicted, archives, event }: Compaction,
  summary: Message,
): Promise<void> {
  await insertMessages(scope, [summary]);
  await updateConversation(scope, turn.conversation.id, {
    ...start,
    summaryMessageId: summary.id,
    // What is still above the line has not crossed it again.
    warnedAt: event.tokensAfter < pressingTokens(event.contextWindow) ? null : scope.now(),
    // Its counts are stale now, and the prefix is new anyway.
    promptKey: null,
  });
  if (archives) await fileAway(scope, turn, evicted);
}

/** As clients know them. One that was asked for comes without a word on why. */
const triggerWords: Readonly<Record<CompactionTrigger, string | undefined>> = {
  size: "post_step_context_check",
  overflow: "context_window_exceeded",
  request: undefined,
};

function statsOf({ trigger, ...event }: Compaction["event"]): CompactionStats | undefined {
  const word = triggerWords[trigger];
  if (word === undefined) return undefined;
  return {
    trigger: word,
    context_tokens_before: event.tokensBefore,
    context_tokens_after: event.tokensAfter,
    context_window: event.contextWindow,
    messages_count_before: event.messagesBefore,
    messages_count_after: event.messagesAfter,
  };
}

/** In its own place at the head of the context, not among the messages that are there by their order. */
function composeSummary(scope: Scope, { agent, run, model }: Turn, { event, summary, evicted }: Compaction): Message {
  const time = { at: scope.now(), timezone: agent.timezone };
  const text = summaryEnvelope(summary, countEvicted(evicted), time, statsOf(event));
  return newMessage(scope, {
    agentId: agent.id,
    conversationId: run.conversationId,
    role: "summary",
    content: [{ type: "text", text }],
    inContext: false,
    model: model.model,
    runId: run.id,
    createdBy: run.createdBy,
    updatedBy: run.createdBy,
  });
}

/** The former summary is no message that was said: it brings its own count along. */
function countEvicted(evicted: readonly Message[]): number {
  return evicted.reduce(
    (sum, message) => sum + (message.role === "summary" ? readEvicted(textOf(message.content)) : 1),
    0,
  );
}

/** Long enough to make sense by itself, short enough to be found by what is in it. */
const passageChars = 2_000;
export const archivedTag = "conversation";

async function fileAway(scope: Scope, { agent, run }: Turn, evicted: readonly Message[]): Promise<void> {
  const lines = toTranscript(evicted.filter(({ role }) => role !== "summary")).map(({ text }) => text);
  const archive = await ensureAgentArchive(scope, agent, run.createdBy);
  await insertPassages(
    scope,
    packLines(lines).map((text) =>
      newPassage(scope, { archiveId: archive.id, text, tags: [archivedTag], createdBy: run.createdBy }),
    ),
  );
}

function packLines(lines: readonly string[]): string[] {
  const pieces: string[] = [];
  for (const line of lines.flatMap((text) => splitLong(text))) {
    const last = pieces.at(-1);
    if (last !== undefined && last.length + line.length < passageChars) pieces[pieces.length - 1] = `${last}\n${line}`;
    else pieces.push(line);
  }
  return pieces;
}

function splitLong(text: string): string[] {
  const count = Math.ceil(text.length / passageChars);
  const pieces = Array.from({ length: count }, (_, index) =>
    text.slice(index * passageChars, (index + 1) * passageChars).toWellFormed(),
  );
  return pieces.map((piece) => piece.replaceAll("\0", ""));
}
