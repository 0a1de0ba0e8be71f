/**
 * Contexts of conversations lately at work. Messages never change, so only what was added since is read: a step costs
 * the same however long the conversation is. What the cache holds is checked against the conversation's row each time.
 */
import { boundTokens } from "../../memory/tokens.ts";
import { dropUnpairedCalls, hasImage, toPromptMessage } from "../../memory/window.ts";
import type { PromptMessage } from "../../shared/content.ts";
import { type Conversation, listContextMessages, listEntryMessages } from "../../store/conversations/conversations.ts";
import { findMessage, type Message } from "../../store/conversations/messages.ts";
import type { Scope } from "../../store/engine/scope.ts";

interface CachedContext {
  /** What must be unchanged for the messages to hold. */
  readonly mark: string;
  lastSeq: number;
  /** How many entries stand before the conversation's own messages. */
  readonly entries: number;
  /** Grows between turns only; a conversation has one turn at a time. */
  readonly messages: PromptMessage[];
  hasImages: boolean;
  /** At most so many tokens; what is below the limit need not be counted. */
  bound: number;
  prompt: CompiledPrompt | undefined;
}

export interface CompiledPrompt {
  /** Fingerprint of what it was compiled from. */
  readonly key: string;
  readonly text: string;
}

export type ContextCache = Map<string, CachedContext>;

const maxConversations = 500;
/** Of text in all of them together: reading a context again costs less than keeping it from the rest of the process. */
const maxBytes = 64 * 1024 * 1024;

export async function loadContext(
  scope: Scope,
  cache: ContextCache,
  conversation: Conversation,
  timezone: string,
): Promise<Pick<CachedContext, "messages" | "hasImages" | "bound" | "entries" | "lastSeq">> {
  const mark = markOf(conversation, timezone);
  const cached = cache.get(conversation.id);
  const isSame = cached?.mark === mark;
  const context = isSame ? cached : await openContext(scope, conversation, mark, timezone, cached?.prompt);
  const added = withoutOpenCalls(await listContextMessages(scope, conversation, context.lastSeq));
  if (added.length > 0) extend(context, added, timezone);
  context.lastSeq = added.at(-1)?.seq ?? context.lastSeq;
  remember(cache, conversation.id, context);
  return context;
}

function markOf({ watermark, entryWatermark, summaryMessageId }: Conversation, timezone: string): string {
  return [watermark, entryWatermark, summaryMessageId, timezone].join("/");
}

/** For those who only look: a copy, as a turn may be at work on what is here. */
export function findCached(
  cache: ContextCache,
  conversation: Conversation,
  timezone: string,
): Pick<CachedContext, "messages" | "lastSeq"> | undefined {
  const cached = cache.get(conversation.id);
  if (cached?.mark !== markOf(conversation, timezone)) return undefined;
  return { messages: [...cached.messages], lastSeq: cached.lastSeq };
}

/** What stands before the conversation's own messages. */
async function openContext(
  scope: Scope,
  conversation: Conversation,
  mark: string,
  timezone: string,
  prompt: CompiledPrompt | undefined,
): Promise<CachedContext> {
  const { summaryMessageId } = conversation;
  // An import may have left it out.
  const summary = summaryMessageId === null ? undefined : await findMessage(scope, summaryMessageId);
  const entries = await listEntryMessages(scope, conversation);
  const context = { mark, lastSeq: 0, entries: entries.length, messages: [], hasImages: false, bound: 0, prompt };
  extend(context, [...(summary ? [summary] : []), ...entries], timezone);
  return context;
}

function extend(context: CachedContext, added: readonly Message[], timezone: string): void {
  const shown = added.flatMap((message) => toPromptMessage(message, timezone) ?? []);
  for (const message of dropUnpairedCalls(shown)) {
    context.messages.push(message);
    context.bound += boundTokens(message);
  }
  context.hasImages ||= shown.some(hasImage);
}

/** Calls that stand at the end without a result are read again together with it. */
function withoutOpenCalls<M extends Message>(messages: readonly M[]): readonly M[] {
  let end = messages.length;
  while (end > 0 && isAsking(messages[end - 1])) end--;
  if (end === messages.length) return messages;
  const before = messages[end - 1];
  return messages.slice(0, before?.role === "assistant" ? end - 1 : end);
}

const isAsking = (message: Message | undefined) => message?.role === "approval";

export function rememberPrompt(cache: ContextCache, conversationId: string, prompt: CompiledPrompt): void {
  const context = cache.get(conversationId);
  if (context) context.prompt = prompt;
}

/** The least recently used go when there are too many, or too much is in them. */
function remember(cache: ContextCache, id: string, context: CachedContext): void {
  cache.delete(id);
  let bytes = sizeOf(context);
  for (const other of cache.values()) bytes += sizeOf(other);
  for (const [oldest, other] of cache) {
    if (cache.size < maxConversations && bytes <= maxBytes) break;
    cache.delete(oldest);
    bytes -= sizeOf(other);
  }
  // The next turn reads a context that is too large by itself again.
  if (bytes <= maxBytes) cache.set(id, context);
}

const sizeOf = ({ bound, prompt }: CachedContext) => bound + (prompt?.text.length ?? 0);
