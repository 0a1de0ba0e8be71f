/**
 * Makes room in a context: its older part is summarised, and the context begins after it. The messages stay where they
 * are, in recall memory; only two numbers move and a summary is added, in one commit of the run.
 */
import { chooseCut } from "../../memory/cut.ts";
import { withImages } from "../../memory/images.ts";
import { mergeCompaction } from "../../memory/merge-compaction.ts";
import { compactionPrompts } from "../../memory/prompts.ts";
import { askForText, type Summariser, summarise } from "../../memory/summarise.ts";
import { countEach, type TokenCounter } from "../../memory/tokens.ts";
import { cutMiddle, cutToTokens, type TranscriptLine, toTranscript } from "../../memory/transcript.ts";
import { capReturns, returnChars } from "../../memory/truncate.ts";
import { toPromptMessage } from "../../memory/window.ts";
import type { ModelRequest } from "../../model/model.ts";
import type { CompactionMode, CompactionSettings } from "../../shared/compaction-settings.ts";
import type { PromptMessage } from "../../shared/content.ts";
import type { CompactionTrigger, RunEvent } from "../../shared/events.ts";
import { type ContextRow, listContextRows, type Watermarks } from "../../store/conversations/context-rows.ts";
import { findMessage, type Message, messageEntity } from "../../store/conversations/messages.ts";
import { findByIds } from "../../store/engine/entity.ts";
import { listInputIds } from "../approvals/request-approval.ts";
import type { Drive } from "../commit.ts";
import { fullTokens, type Need } from "../model-call/measure.ts";
import { openModel } from "../model-call/model-with-fallbacks.ts";
import { recordSummary } from "../model-call/record-call.ts";
import type { RunState } from "../state.ts";
import { loadTurn, type Turn } from "../turn.ts";
import { commitCompaction } from "./commit-compaction.ts";

export interface Progress {
  readonly turn: Turn;
  readonly state: RunState;
}

export interface CompactionReason {
  readonly trigger: CompactionTrigger;
  readonly need: Need;
  /** As the model would be asked now. */
  readonly request: ModelRequest;
}

/** Undefined when there is nothing that could go. */
export async function compact(
  drive: Drive,
  turn: Turn,
  state: RunState,
  reason: CompactionReason,
): Promise<Progress | undefined> {
  const context = await loadParts(drive, turn, reason.need.counter);
  if (context.body.every(({ message }) => message.role === "summary")) return undefined;
  if (context.body.length < fewestEvicted(reason)) return undefined;
  const settings = mergeCompaction(turn.agent.compaction, turn.run.request.compaction ?? {});
  const work = { drive, turn, settings, reason, context };
  const made = await recordSummary(drive, state, () => makeSummary(work));
  const tokensAfter = sizeAfter(reason, made, context);
  const kept = context.body.slice(made.evicted).length + context.tail.length;
  const event: Omit<Extract<RunEvent, { type: "compaction" }>, "summaryMessageId"> = {
    type: "compaction",
    trigger: reason.trigger,
    tokensBefore: reason.need.tokens,
    tokensAfter,
    contextWindow: turn.model.contextWindow,
    // The system message counts, and so does the new summary.
    messagesBefore: 1 + context.body.length + context.tail.length,
    messagesAfter: 2 + kept,
  };
  const evicted = context.body.slice(0, made.evicted).map(({ message }) => message);
  const next = await commitCompaction(drive, turn, state, {
    event,
    summary: [made.summary, ...(await quoteOpen(work, made.evicted))].join("\n\n"),
    evicted,
    start: startAfter(context, made.evicted),
    archives: settings.archiveEvicted,
  });
  return { state: next, turn: await loadTurn(drive.loop.store.read(drive.orgId), drive.loop, turn.run) };
}

/** Whoever asks for a shorter context is not helped by a summary of a single message. */
const fewestEvicted = ({ trigger }: CompactionReason) => (trigger === "request" ? 2 : 1);

interface Part {
  readonly message: Message;
  readonly tokens: number;
  /** None for the summary, which has its own place. */
  readonly row: ContextRow | undefined;
}

interface Parts {
  /** What may go, oldest first; an earlier summary is its first. */
  readonly body: readonly Part[];
  /** What nobody has answered yet: it stays whatever happens. */
  readonly tail: readonly Part[];
}

async function loadParts({ loop, orgId }: Drive, turn: Turn, counter: TokenCounter): Promise<Parts> {
  const { conversation, agent, model } = turn;
  const scope = loop.store.read(orgId);
  const rows = await listContextRows(scope, conversation);
  const weigh = (message: Message): number => {
    const shown = toPromptMessage(message, agent.timezone);
    return shown ? counter.message(capReturns(shown, returnChars(model.contextWindow))) : 0;
  };
  const { summaryMessageId } = conversation;
  const summary = summaryMessageId === null ? undefined : await findMessage(scope, summaryMessageId);
  const lead: Part[] = summary ? [{ message: summary, row: undefined, tokens: weigh(summary) }] : [];
  const weights = await countEach(rows, ({ message }) => weigh(message));
  const parts = rows.map((row, index): Part => ({ message: row.message, row, tokens: weights[index] ?? 0 }));
  const answered = parts.findLastIndex(({ message: { role } }) => role !== "user" && role !== "system") + 1;
  return { body: [...lead, ...parts.slice(0, answered)], tail: parts.slice(answered) };
}

function startAfter({ body, tail }: Parts, evicted: number): Watermarks | undefined {
  const first = [...body.slice(evicted), ...tail][0]?.row;
  return first?.start ?? body.findLast(({ row }) => row !== undefined)?.row?.end;
}

interface Work {
  readonly drive: Drive;
  readonly turn: Turn;
  readonly settings: CompactionSettings;
  readonly reason: CompactionReason;
  readonly context: Parts;
}

interface Made {
  readonly summary: string;
  /** How many of the body go. */
  readonly evicted: number;
}

/** Each mode is tried, and those that ask less of the context after it. */
const attempts: Readonly<Record<CompactionMode, readonly CompactionMode[]>> = {
  all: ["all"],
  sliding_window: ["sliding_window", "all"],
  self_compact_all: ["self_compact_all", "self_compact_sliding_window", "all"],
  self_compact_sliding_window: ["self_compact_sliding_window", "all"],
};

async function makeSummary(work: Work): Promise<Made> {
  const { settings, context } = work;
  for (const mode of attempts[settings.mode]) {
    const evicted = isSliding(mode) ? chooseBeginning(work) : context.body.length;
    if (evicted === undefined || evicted < fewestEvicted(work.reason)) continue;
    const summary = await summariseBy(work, mode, evicted);
    if (summary === undefined) continue;
    const made = { summary: shorten(work, summary), evicted };
    // Everything goes if that was not enough, and the summary just made goes into the next one.
    return isStillFull(work, made) && evicted < context.body.length ? await summariseRest(work, made) : made;
  }
  throw new Error("the last mode always gives a summary");
}

const isSliding = (mode: CompactionMode) => mode === "sliding_window" || mode === "self_compact_sliding_window";
const isOwn = (mode: CompactionMode) => mode === "self_compact_all" || mode === "self_compact_sliding_window";

function chooseBeginning({ turn, settings, reason, context }: Work): number | undefined {
  const { contextWindow } = turn.model;
  const parts = [...context.body, ...context.tail];
  return chooseCut(
    parts.map(({ message, tokens }, index) => ({
      tokens,
      canBegin: canBegin(message, parts[index - 1]?.message),
    })),
    {
      fixedTokens: reason.need.systemTokens + reason.need.toolTokens,
      // A provider that refuses has less room than it is said to have.
      contextWindow:
        reason.trigger === "overflow" ? Math.min(contextWindow, Math.floor(reason.need.tokens * 0.7)) : contextWindow,
      share: settings.slidingWindowPercentage,
    },
  );
}

/** What waits for an answer belongs to what was said before it in the same breath. */
function canBegin({ role, toolCalls }: Message, previous: Message | undefined): boolean {
  if (role === "assistant") return true;
  return role === "approval" && (toolCalls ?? []).length > 0 && previous?.role !== "assistant";
}

function isStillFull({ turn, reason, context }: Work, made: Made): boolean {
  return sizeAfter(reason, made, context) >= fullTokens(turn.model.contextWindow);
}

function sizeAfter({ need }: CompactionReason, { summary, evicted }: Made, { body, tail }: Parts): number {
  const kept = [...body.slice(evicted), ...tail].reduce((sum, { tokens }) => sum + tokens, 0);
  return need.systemTokens + need.toolTokens + need.counter.text(summary) + kept;
}

async function summariseRest(work: Work, { summary, evicted }: Made): Promise<Made> {
  const rest = toTranscript(work.context.body.slice(evicted).map(({ message }) => message));
  const lines = [{ text: `[summary] ${summary}`, isResult: false }, ...rest];
  return { summary: shorten(work, await summariseLines(work, "all", lines)), evicted: work.context.body.length };
}

/** Undefined when the agent itself was asked and had nothing to say. */
async function summariseBy(work: Work, mode: CompactionMode, evicted: number): Promise<string | undefined> {
  if (isOwn(mode)) return await summariseItself(work, mode);
  const lines = toTranscript(work.context.body.slice(0, evicted).map(({ message }) => message));
  return await summariseLines(work, mode, lines);
}

async function summariseLines(work: Work, mode: CompactionMode, lines: readonly TranscriptLine[]): Promise<string> {
  const { drive, settings, reason } = work;
  return await summarise({
    lines,
    prompt: promptOf(settings, mode),
    settings,
    summarisers: await findSummarisers(work),
    counter: reason.need.counter,
    signal: drive.signal,
    log: drive.loop.log,
  });
}

function promptOf(settings: CompactionSettings, mode: CompactionMode): string {
  return (mode === settings.mode ? settings.prompt : null) ?? compactionPrompts[mode];
}

/** The one that was chosen for it, then the agent's own. */
async function findSummarisers({ drive, turn, settings }: Work): Promise<Summariser[]> {
  const { loop, orgId } = drive;
  const found: Summariser[] = [];
  const add = async (config: Turn["model"]) => {
    found.push({ config, model: await openModel(loop, orgId, config) });
  };
  if (settings.model !== null && (settings.model !== turn.model.handle || settings.modelOverlay)) {
    try {
      const chosen = await loop.finder.resolve(orgId, settings.model);
      await add({ ...chosen, ...settings.modelOverlay });
    } catch (error) {
      loop.log.warn({ err: error, model: settings.model }, "the model for summaries is not to be had");
    }
  }
  await add(turn.model);
  return found;
}

/** The agent's own model on the context as it is, its tools included, so that the provider knows the beginning. */
async function summariseItself({ drive, turn, settings, reason }: Work, mode: CompactionMode) {
  const { loop, orgId } = drive;
  const ask: PromptMessage = { role: "user", content: [{ type: "text", text: promptOf(settings, mode) }] };
  const request = { ...reason.request, messages: [...reason.request.messages, ask], toolChoice: "auto" as const };
  try {
    const model = await openModel(loop, orgId, turn.model);
    const shown = turn.hasImages ? await withImages(loop.store.read(orgId), request) : request;
    return await askForText(model, shown, drive.signal);
  } catch (error) {
    if (drive.signal.aborted) throw error;
    loop.log.warn({ err: error, mode }, "the agent could not summarise its own context");
    return undefined;
  }
}

const quotedChars = 2_000;

/** What this turn is to answer stays in view word for word, also when it is gone, now or by an earlier compaction. */
async function quoteOpen({ drive, turn, context }: Work, evicted: number): Promise<string[]> {
  const { body, tail } = context;
  const kept = new Set([...body.slice(evicted), ...tail].map(({ message }) => message.id));
  const gone = listInputIds(turn.run).filter((id) => !kept.has(id));
  const said = await findByIds(drive.loop.store.read(drive.orgId), messageEntity, gone);
  const lines = toTranscript(said.filter(({ role }) => role !== "assistant"));
  const quotes = lines.map(({ text }) => cutMiddle(text, quotedChars)).join("\n");
  return quotes === "" ? [] : [`You are still answering this:\n${cutMiddle(quotes, 2 * quotedChars)}`];
}

const summaryShare = 0.25;

/** A summary that fills the window by itself would leave no room for anything else, and be made again at every call. */
function shorten({ turn, settings, reason }: Work, summary: string): string {
  const clipped = settings.clipChars === null ? summary : cutMiddle(summary, settings.clipChars);
  return cutToTokens(clipped, Math.floor(turn.model.contextWindow * summaryShare), reason.need.counter.text);
}
