/**
 * Contexts of conversations lately at work. Messages never change, so only what was added since is read: a step costs
 * the same however long the conversation is. What the cache holds is checked against the conversation's row each time.
 */
import type { PromptMessage } from "../content.ts";
import { soundSequence, toPromptMessage } from "../memory/window.ts";
import { type Conversation, listContextMessages, listEntryMessages } from "../store/conversations.ts";
import { getMessage, type Message } from "../store/messages.ts";
import type { Scope } from "../store/scope.ts";

interface CachedContext {
  /** What must be unchanged for the rest to hold. */
  readonly mark: string;
  lastSeq: number;
  messages: PromptMessage[];
}

export type ContextCache = Map<string, CachedContext>;

const mostConversations = 500;

export async function loadContext(
  scope: Scope,
  cache: ContextCache,
  conversation: Conversation,
  timezone: string,
): Promise<PromptMessage[]> {
  const mark = [conversation.watermark, conversation.entryWatermark, conversation.summaryMessageId, timezone].join("/");
  const cached = cache.get(conversation.id);
  const context = cached?.mark === mark ? cached : await openContext(scope, conversation, mark, timezone);
  const added = await listContextMessages(scope, conversation, context.lastSeq);
  if (added.length > 0) {
    context.messages = soundSequence([...context.messages, ...toPrompt(added, timezone)]);
    context.lastSeq = added.at(-1)?.seq ?? context.lastSeq;
  }
  remember(cache, conversation.id, context);
  return [...context.messages];
}

/** What stands before the conversation's own messages. */
async function openContext(
  scope: Scope,
  conversation: Conversation,
  mark: string,
  timezone: string,
): Promise<CachedContext> {
  const { summaryMessageId } = conversation;
  const summary = summaryMessageId === null ? [] : [await getMessage(scope, summaryMessageId)];
  const entries = await listEntryMessages(scope, conversation);
  return { mark, lastSeq: 0, messages: toPrompt([...summary, ...entries], timezone) };
}

function toPrompt(messages: readonly Message[], timezone: string): PromptMessage[] {
  return messages.flatMap((message) => toPromptMessage(message, timezone) ?? []);
}

/** The least recently used goes when there are too many. */
function remember(cache: ContextCache, id: string, context: CachedContext): void {
  cache.delete(id);
  cache.set(id, context);
  if (cache.size <= mostConversations) return;
  const oldest = cache.keys().next();
  if (!oldest.done) cache.delete(oldest.value);
}
