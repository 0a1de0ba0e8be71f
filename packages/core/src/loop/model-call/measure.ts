/** How full a model's window will be with the next call. */
import { loadCounter, sumMessages, type TokenCounter } from "../../memory/tokens.ts";
import type { ModelRequest } from "../../model/model.ts";
import type { RunState } from "../state.ts";
import type { Turn } from "../turn.ts";

export interface Need {
  readonly tokens: number;
  /** Of the instructions and blocks alone: nothing can be taken from them. */
  readonly systemTokens: number;
  readonly toolTokens: number;
  readonly counter: TokenCounter;
}

/** From here on the agent is told to save what matters. */
const pressingShare = 0.75;
/** From here on there has to be room before the next call. */
const fullShare = 0.9;

export const pressingTokens = (contextWindow: number): number => Math.floor(contextWindow * pressingShare);
export const fullTokens = (contextWindow: number): number => Math.floor(contextWindow * fullShare);

/** Undefined where it is certain that there is room: nothing is counted then. */
export async function measureRequest(turn: Turn, state: RunState, request: ModelRequest): Promise<Need | undefined> {
  const around = Buffer.byteLength(request.system) + Buffer.byteLength(JSON.stringify(request.tools));
  if (state.compactions === 0 && turn.bound + around < pressingTokens(turn.model.contextWindow)) return undefined;
  return await countRequest(turn, state, request);
}

export async function countRequest(turn: Turn, state: RunState, request: ModelRequest): Promise<Need> {
  const counter = await loadCounter(turn.model.endpointKind);
  const systemTokens = counter.text(request.system);
  const toolTokens = counter.tools(request.tools);
  const counted = systemTokens + toolTokens + (await sumMessages(request.messages, counter));
  const reported = estimateFromReport(turn, state, counter);
  // What the provider said is the truth, unless it says next to nothing.
  const tokens = reported === undefined ? counted : Math.max(reported, Math.ceil(counted / counter.factor));
  return { tokens, systemTokens, toolTokens, counter };
}

/** What the last call took, and what has come since. */
function estimateFromReport(turn: Turn, { steps, contextTokens, compactions }: RunState, counter: TokenCounter) {
  if (steps === 0 || !contextTokens || compactions > 0) return undefined;
  const since = turn.added.slice(turn.added.findLastIndex(({ role }) => role === "assistant") + 1);
  return since.reduce((sum, message) => sum + counter.message(message), contextTokens);
}
