/** Small JSON texts in which events reach older kinds of agents. Clients unwrap them by these keys. */
import { parseJsonObject } from "../shared/json.ts";
import { formatPromptTime } from "./time.ts";

export interface EnvelopeTime {
  readonly at: number;
  readonly timezone: string;
}

export function userEnvelope(message: string, { at, timezone }: EnvelopeTime, name?: string | null): string {
  const time = formatPromptTime(at, timezone);
  return pretty({ type: "user_message", message, time, ...(name ? { name } : {}) });
}

export function systemEnvelope(message: string, { at, timezone }: EnvelopeTime): string {
  return JSON.stringify({ type: "system_alert", message, time: formatPromptTime(at, timezone) });
}

export function loginEnvelope({ at, timezone }: EnvelopeTime): string {
  return pretty({ type: "login", last_login: "Never (first login)", time: formatPromptTime(at, timezone) });
}

/** Starts every reason the server gives an agent for waking it; clients hide messages by it. */
export const hiddenPrefix = "[This is an automated system message hidden from the user] ";

export function heartbeatEnvelope(reason: string, { at, timezone }: EnvelopeTime): string {
  return pretty({ type: "heartbeat", reason: `${hiddenPrefix}${reason}`, time: formatPromptTime(at, timezone) });
}

export function toolReturnEnvelope(message: string | null, isError: boolean, { at, timezone }: EnvelopeTime): string {
  return pretty({ status: isError ? "Failed" : "OK", message, time: formatPromptTime(at, timezone) });
}

/** How a context was shortened, as clients are told. */
export interface CompactionStats {
  readonly trigger: string;
  readonly context_tokens_before: number;
  readonly context_tokens_after: number;
  readonly context_window: number;
  readonly messages_count_before: number;
  readonly messages_count_after: number;
}

/** Readers of older data know a summary by these words. */
export const summaryPhrase = "The following is a summary of the previous ";

/** `evicted` counts all messages that have ever left the context, not only those of the last cut. */
export function summaryEnvelope(
  summary: string,
  evicted: number,
  { at, timezone }: EnvelopeTime,
  stats: CompactionStats | undefined,
): string {
  const message =
    `To make room, ${evicted} earlier messages have left your context so far. They are all in recall memory, where you ` +
    `can search for them. ${summaryPhrase}messages:\n${summary}`;
  const time = formatPromptTime(at, timezone);
  return pretty({ type: "system_alert", message, time, evicted_messages: evicted, compaction_stats: stats });
}

/** The summary inside such a message; undefined where there is none. */
export function readSummary(text: string): string | undefined {
  const message = readEnvelope(text);
  const at = message.indexOf(summaryPhrase);
  if (at === -1) return undefined;
  return message.slice(message.indexOf("\n", at) + 1);
}

/** How many messages such a message says have left the context; 0 where it does not say. */
export function readEvicted(text: string): number {
  if (!text.startsWith("{")) return 0;
  const count = parseJsonObject(text)?.evicted_messages;
  return typeof count === "number" && Number.isSafeInteger(count) && count > 0 ? count : 0;
}

/** What an event says, without what is around it; any other text as it is. */
export function readEnvelope(text: string): string {
  if (!text.startsWith("{")) return text;
  const { type, message } = parseJsonObject(text) ?? {};
  return typeof type === "string" && typeof message === "string" ? message : text;
}

function pretty(envelope: object): string {
  return JSON.stringify(envelope, null, 2);
}
