// Words for the figures of the status page.

import type { ServerStatus } from "../../api/status.ts";

export function nameDatabase(kind: ServerStatus["database"]["kind"]): string {
  return kind === "postgres" ? "PostgreSQL" : "SQLite";
}

export function formatCount(count: number, locale?: string): string {
  return new Intl.NumberFormat(locale).format(count);
}

/** Day and time in the reader's own time zone; text that is not a date is shown as it came. */
export function formatTimestamp(text: string, locale?: string, timeZone?: string): { day: string; time?: string } {
  const moment = new Date(text);
  if (Number.isNaN(moment.getTime())) return { day: text };
  return {
    day: new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeZone }).format(moment),
    time: new Intl.DateTimeFormat(locale, { timeStyle: "short", timeZone }).format(moment),
  };
}

export function describeProviders(found: number): string {
  if (found === 0) return "No model provider was found; memoir/demo needs none.";
  return found === 1 ? "One model provider was found." : `${found} model providers were found.`;
}
