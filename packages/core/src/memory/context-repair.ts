/**
 * What is wrong with the messages of a context, and the list that would be right. The prompt leaves such faults out
 * anyway (`window.ts`); here they are named, and mended by another list: no message is changed.
 */
import type { ToolCall, ToolReturn } from "../shared/content.ts";
import type { Message } from "../store/conversations/messages.ts";
import { toPromptMessage } from "./window.ts";

export type ContextFaultKind =
  | "empty-message"
  | "orphan-result"
  | "unanswered-call"
  | "split-results"
  | "stuck-approval";

export interface ContextFault {
  readonly kind: ContextFaultKind;
  readonly messageId: string;
  /** The calls it is about. */
  readonly callIds: readonly string[];
}

/** A message that stays, or results that have to be written, in place of those that are there. */
export type ContextItem = { readonly message: Message } | { readonly results: readonly ToolReturn[] };

export interface RepairedContext {
  readonly faults: readonly ContextFault[];
  readonly items: readonly ContextItem[];
}

/** `isAwaited`: whether someone can still answer this request for approval. */
export function repairContext(messages: readonly Message[], isAwaited: (request: Message) => boolean): RepairedContext {
  const empty = messages.filter(isEmpty);
  const faults = empty.map(({ id }): ContextFault => ({ kind: "empty-message", messageId: id, callIds: [] }));
  const items: ContextItem[] = [];
  const rest = messages.filter((message) => !isEmpty(message));
  for (let next = 0; next < rest.length; ) {
    const exchange = readExchange(rest, next);
    const sound = soundExchange(exchange, exchange.end === rest.length, isAwaited);
    faults.push(...sound.faults);
    items.push(...sound.items);
    next = exchange.end;
  }
  return { faults, items };
}

/** The timezone stands in texts only. */
const isEmpty = (message: Message): boolean =>
  message.role !== "approval" && toPromptMessage(message, "UTC") === undefined;

const callsOf = ({ role, toolCalls }: Message): readonly ToolCall[] =>
  role === "assistant" || role === "approval" ? (toolCalls ?? []) : [];

const isRequest = (message: Message): boolean => message.role === "approval" && callsOf(message).length > 0;

/** A message, or calls with what answers them. */
interface Exchange {
  /** Messages with calls, and answers to requests for approval. */
  readonly callers: readonly Message[];
  readonly tools: readonly Message[];
  /** The place behind it. */
  readonly end: number;
}

function readExchange(messages: readonly Message[], start: number): Exchange {
  const first = messages[start];
  if (!first) return { callers: [], tools: [], end: messages.length };
  let end = first.role === "tool" ? start : start + 1;
  const hasCalls = callsOf(first).length > 0;
  // What waits for approval was asked in the same breath as the calls before it.
  while (hasCalls && messages[end]?.role === "approval") end++;
  const callers = messages.slice(start, end);
  while ((hasCalls || callers.length === 0) && messages[end]?.role === "tool") end++;
  return { callers, tools: messages.slice(start + callers.length, end), end };
}

function soundExchange(
  { callers, tools }: Exchange,
  isLast: boolean,
  isAwaited: (request: Message) => boolean,
): RepairedContext {
  const calls = callers.flatMap(callsOf);
  const request = callers.findLast(isRequest);
  const kept = callers.map((message): ContextItem => ({ message }));
  const { results, faults } = collectResults(calls, tools);
  const missing = calls.filter(({ id }) => !results.has(id)).map(({ id }) => id);
  const isOpen = isLast && tools.length === 0 && request !== undefined && isAwaited(request);
  if (missing.length > 0 && isOpen) return { faults, items: kept };
  if (missing.length > 0) {
    const asker = request ?? callers.findLast((message) => callsOf(message).length > 0);
    const kind = request ? "stuck-approval" : "unanswered-call";
    faults.push({ kind, messageId: asker?.id ?? "", callIds: missing });
  }
  if (faults.length === 0) return { faults, items: [...kept, ...tools.map((message) => ({ message }))] };
  const answers = calls.map((call) => results.get(call.id) ?? closeCall(call, request !== undefined));
  return { faults, items: answers.length === 0 ? kept : [...kept, { results: answers }] };
}

/** The results that belong to the calls; a call has one, and all stand in one message. */
function collectResults(calls: readonly ToolCall[], tools: readonly Message[]) {
  const called = new Set(calls.map(({ id }) => id));
  const results = new Map<string, ToolReturn>();
  const faults: ContextFault[] = [];
  for (const { id, toolReturns } of tools) {
    const callIds = (toolReturns ?? []).map(({ callId }) => callId);
    const orphans = callIds.filter((callId) => !called.has(callId));
    const known = callIds.filter((callId) => called.has(callId));
    if (orphans.length > 0) faults.push({ kind: "orphan-result", messageId: id, callIds: orphans });
    if (known.length > 0 && results.size > 0) faults.push({ kind: "split-results", messageId: id, callIds: known });
    for (const item of toolReturns ?? []) {
      if (called.has(item.callId) && !results.has(item.callId)) results.set(item.callId, item);
    }
  }
  return { results, faults };
}

function closeCall({ id, name }: ToolCall, isApproval: boolean): ToolReturn {
  const output = isApproval
    ? `${name} was never approved and did not run. Ask for it again if it is still needed.`
    : `No result of ${name} was kept, so nobody knows whether it ran. Find out before you call it again.`;
  return { callId: id, name, status: "error", output };
}
