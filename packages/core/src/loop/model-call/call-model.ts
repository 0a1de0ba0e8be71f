/** One call of the model, with room made for it first. */
import { withImages } from "../../memory/images.ts";
import { omit, truncateMessages } from "../../memory/truncate.ts";
import type { ModelReply, ModelRequest } from "../../model/model.ts";
import { isMemoirError, MemoirError } from "../../shared/errors.ts";
import type { RunEvent } from "../../shared/events.ts";
import type { Omission } from "../../shared/prompt-snapshot.ts";
import { isAsked } from "../approvals/request-approval.ts";
import { commit, type Drive } from "../commit.ts";
import { compact, type Progress } from "../context/compact.ts";
import type { RunState } from "../state.ts";
import type { Turn } from "../turn.ts";
import { type DeltaLog, openDeltas } from "./deltas.ts";
import { countRequest, fullTokens, measureRequest, type Need } from "./measure.ts";
import { isWarningDue, warn } from "./memory-pressure.ts";
import { openModel } from "./model-with-fallbacks.ts";
import { type Fitting, recordStep } from "./record-call.ts";
import { normalizeReply } from "./reply.ts";
import { buildRequest, isParallel } from "./request.ts";

/** Either the reply is committed, or something was done so that the next try has a better chance. */
export async function callModel(drive: Drive, turn: Turn, state: RunState): Promise<Progress> {
  const request = buildRequest(turn, state);
  if (!request) return { turn, state: await commit(drive, turn, state, [{ type: "run-end", reason: "tool_rule" }]) };
  const need = await measureRequest(turn, state, request);
  if (need) {
    rejectLargeSystem(turn, need);
    const made = await makeRoom(drive, turn, state, request, need);
    if (made) return made;
  }
  return await ask(drive, turn, state, request, need);
}

async function makeRoom(
  drive: Drive,
  turn: Turn,
  state: RunState,
  request: ModelRequest,
  need: Need,
): Promise<Progress | undefined> {
  if (need.tokens >= fullTokens(turn.model.contextWindow) && state.compactions === 0) {
    return await compact(drive, turn, state, { trigger: "size", need, request });
  }
  if (isWarningDue(turn, need)) return { turn, state: await warn(drive, turn, state, need) };
  return undefined;
}

function rejectLargeSystem({ model }: Turn, { systemTokens }: Need): void {
  if (systemTokens < model.contextWindow) return;
  throw new MemoirError(
    "llm-system-prompt-exceeded",
    `the instructions and memory blocks of this agent take about ${systemTokens} tokens, and its context window is ` +
      `${model.contextWindow}: shorten its instructions or blocks, raise its context window limit, or choose a model with a larger one`,
  );
}

const maxCompactions = 3;
const maxTries = 3;

/**
 * A provider that will not have what is in the context is asked without it: an image that is gone, or a word it objects
 * to, would else be refused with every message from now on. If that does not help, its first refusal counts.
 */
async function ask(
  drive: Drive,
  turn: Turn,
  state: RunState,
  request: ModelRequest,
  measured: Need | undefined,
): Promise<Progress> {
  let refusal: unknown;
  for (const without of listOmissions(turn, request)) {
    try {
      const messages = omit(request.messages, without);
      return await askFitting(drive, turn, state, { ...request, messages }, measured, without);
    } catch (error) {
      if (!isMemoirError(error, "llm-bad-request")) throw error;
      refusal ??= error;
    }
  }
  throw refusal;
}

/** Nothing first, then what there is to leave out. */
function listOmissions({ hasImages }: Turn, { messages }: ModelRequest): (Omission | undefined)[] {
  const hasHistory = omit(messages, "history").length < messages.length;
  return [undefined, ...(hasImages ? (["images"] as const) : []), ...(hasHistory ? (["history"] as const) : [])];
}

/** A provider that finds the request too large gets a smaller one, as long as there is one. */
async function askFitting(
  drive: Drive,
  turn: Turn,
  state: RunState,
  request: ModelRequest,
  measured: Need | undefined,
  without: Omission | undefined,
): Promise<Progress> {
  for (let tries = 0; ; tries++) {
    try {
      const fitting = { ...(await fit(turn, state, request, measured, tries)), without };
      return { turn, state: await commitReply(drive, turn, state, fitting) };
    } catch (error) {
      if (!isMemoirError(error, "llm-context-exceeded") || tries >= maxTries) throw error;
      if (tries > 0 || state.compactions >= maxCompactions) continue;
      const need = measured ?? (await countRequest(turn, state, request));
      const made = await compact(drive, turn, state, { trigger: "overflow", need, request });
      if (made) return made;
    }
  }
}

/** Shortened as far as it must be; each time it was refused, further. */
async function fit(
  turn: Turn,
  state: RunState,
  request: ModelRequest,
  measured: Need | undefined,
  refusals: number,
): Promise<Fitting> {
  if (!measured && refusals === 0) return { request };
  const need = measured ?? (await countRequest(turn, state, request));
  // What was refused was too much, whatever the window is said to be.
  const refused = refusals === 0 ? Number.POSITIVE_INFINITY : need.tokens;
  const most = Math.min(fullTokens(turn.model.contextWindow), refused) * 0.6 ** refusals;
  if (need.tokens <= most) return { request };
  const tokens = Math.max(0, Math.floor(most) - need.systemTokens - need.toolTokens);
  const messages = truncateMessages(request.messages, tokens, need.counter);
  return { request: { ...request, messages }, squeezed: { tokens, endpointKind: turn.model.endpointKind } };
}

async function commitReply(drive: Drive, turn: Turn, state: RunState, fitting: Fitting): Promise<RunState> {
  const startedAt = performance.now();
  const scope = drive.loop.store.read(drive.orgId);
  const request = turn.hasImages ? await withImages(scope, fitting.request) : fitting.request;
  const shown = { ...fitting, request };
  const messageId = drive.loop.store.newId("message");
  let after = state;
  const { reply, record } = await recordStep(drive, turn, state, shown, async (stepId) => {
    const deltas = openDeltas(drive, state, { stepId, messageId }, whoIsAsked(turn, state));
    const read = await readReply(drive, request, deltas);
    after = read.state;
    return read.reply;
  });
  const { content, toolCalls } = normalizeReply(turn, reply);
  const event: RunEvent = {
    type: "model-reply",
    stepId: record.stepId,
    messageId,
    resultsMessageId: drive.loop.store.newId("message"),
    content,
    toolCalls,
    isCut: reply.finishReason === "length",
    usage: reply.usage,
    modelNs: Math.round((performance.now() - startedAt) * 1e6),
    ...(record.sight ? { sight: record.sight } : {}),
  };
  return await commit(drive, turn, after, [event]);
}

/** To be told of the calls in their order: where only the first of a reply is kept, nobody is asked for the others. */
function whoIsAsked(turn: Turn, state: RunState): (tool: string) => boolean {
  let calls = 0;
  return (tool) => (isParallel(turn) || calls++ === 0) && isAsked(turn, state, tool);
}

interface Read {
  readonly reply: ModelReply;
  /** After the pieces that were logged on the way. */
  readonly state: RunState;
}

async function readReply(drive: Drive, request: ModelRequest, deltas: DeltaLog): Promise<Read> {
  const { loop, orgId, run, signal } = drive;
  const model = await openModel(loop, orgId, request.config);
  try {
    for await (const chunk of model.stream(request, signal)) {
      if (chunk.type === "reply") return { reply: chunk.reply, state: await deltas.finish() };
      if (run.request.streamsTokens) deltas.add(chunk);
    }
  } catch (error) {
    throw await deltas.fail(error);
  }
  signal.throwIfAborted();
  throw new MemoirError("llm-error", "the model's answer ended before it was complete");
}
