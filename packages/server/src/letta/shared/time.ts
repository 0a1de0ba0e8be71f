/** Times on the wire: RFC 3339 with microseconds, UTC. */
import type { z } from "zod";
import { boundedText } from "../../limits.ts";

export function toWireTime(micros: number): string;
export function toWireTime(micros: number | null): string | null;
export function toWireTime(micros: number | null): string | null {
  if (micros === null) return null;
  const millis = Math.floor(micros / 1000);
  const rest = String(micros - millis * 1000).padStart(3, "0");
  return `${new Date(millis).toISOString().slice(0, -1)}${rest}Z`;
}

/** Dates of messages: whole seconds. */
export function toWireDate(micros: number): string {
  return `${new Date(Math.floor(micros / 1000)).toISOString().slice(0, 19)}+00:00`;
}

/** Accepts any offset; a time without one counts as UTC. */
export function fromWireTime(text: string): number {
  const hasZone = /(Z|[+-]\d{2}:?\d{2})$/i.test(text);
  // A Date holds milliseconds only.
  const rest = /\.\d{3}(\d{1,3})/.exec(text)?.[1] ?? "";
  return Date.parse(hasZone || !text.includes("T") ? text : `${text}Z`) * 1000 + Number(rest.padEnd(3, "0"));
}

export const WireTime: z.ZodType<string> = boundedText(100).refine(
  // Moments are stored in microseconds, as numbers: from the year 1684 to 2255.
  (text) => Number.isSafeInteger(fromWireTime(text)),
  "Input should be a valid datetime such as 2026-01-02T03:04:05Z",
);
