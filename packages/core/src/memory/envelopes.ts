/** Small JSON texts in which events reach older kinds of agents. Clients unwrap them by these keys. */
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

function pretty(envelope: object): string {
  return JSON.stringify(envelope, null, 2);
}
