/** Moments as tools are given them and show them: ISO 8601, in the agent's own zone. Inside they are microseconds. */
import { refusal } from "./block-rules.ts";

export interface Span {
  /** Both ends belong to it. */
  readonly since: number | undefined;
  readonly until: number | undefined;
}

interface Bound {
  readonly name: string;
  readonly text: string | undefined;
}

/** A bare day as the end counts to its last moment, a time to the end of its second. */
export function readSpan(start: Bound, end: Bound, timezone: string): Span {
  const since = readBound(start, timezone)?.first;
  const until = readBound(end, timezone)?.last;
  if (since !== undefined && until !== undefined && since > until) {
    throw refusal(
      `${start.name} (${start.text}) is later than ${end.name} (${end.text}), so nothing can lie between them. Swap ` +
        "them, or leave one out.",
    );
  }
  return { since, until };
}

interface Stretch {
  readonly first: number;
  readonly last: number;
}

function readBound({ name, text }: Bound, timezone: string): Stretch | undefined {
  if (text === undefined || text.trim() === "") return undefined;
  const stretch = parseTimestamp(text.trim(), timezone);
  if (stretch) return stretch;
  throw refusal(
    `${name} is "${text.slice(0, 100)}", which is no date. Write it in ISO 8601: a day such as 2025-06-01, or a time such ` +
      "as 2025-06-01T14:30. Without an offset it is read in your time zone.",
  );
}

const iso =
  /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2})(?::(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?)?(?: ?(Z|[+-]\d{2}(?::?\d{2})?))?)?$/i;

const microsPerSecond = 1_000_000;

/** The moments that the text stands for: a day, a second, or one microsecond. Undefined if it is not a date. */
export function parseTimestamp(text: string, timezone: string): Stretch | undefined {
  const [, day, hour, minute = "00", seconds = "00", fraction, offset] = text.match(iso) ?? [];
  if (day === undefined) return undefined;
  const clock = parseClock(day, `${hour ?? "00"}:${minute}:${seconds}`);
  if (clock === undefined) return undefined;
  if (hour === undefined) {
    return {
      first: toMicros(zonedToUtc(clock, timezone, "first")),
      last: toMicros(zonedToUtc(clock + dayMs, timezone, "first")) - 1,
    };
  }
  const toUtc = (which: "first" | "last") =>
    offset === undefined ? zonedToUtc(clock, timezone, which) : clock - parseOffset(offset);
  const part = fraction === undefined ? undefined : Number(fraction.padEnd(6, "0").slice(0, 6));
  return {
    first: toMicros(toUtc("first")) + (part ?? 0),
    last: toMicros(toUtc("last")) + (part ?? microsPerSecond - 1),
  };
}

const dayMs = 86_400_000;

/** Milliseconds, as if the clock stood in UTC; undefined for a day or time that does not exist, such as 30 February. */
function parseClock(day: string, time: string): number | undefined {
  const at = Date.parse(`${day}T${time}Z`);
  if (Number.isNaN(at)) return undefined;
  return new Date(at).toISOString().startsWith(`${day}T${time}`) ? at : undefined;
}

function parseOffset(offset: string): number {
  if (/^z$/i.test(offset)) return 0;
  const digits = offset.replaceAll(/\D/g, "").padEnd(4, "0");
  const minutes = Number(digits.slice(0, 2)) * 60 + Number(digits.slice(2));
  return (offset.startsWith("-") ? -minutes : minutes) * 60_000;
}

/** Beyond this, numbers lose whole microseconds; it is the year 2255. */
const farthest = 2 ** 53 / 1000 - 1;

function toMicros(ms: number): number {
  return Math.max(-farthest, Math.min(farthest, ms)) * 1000;
}

/**
 * The moment at which clocks in the zone show this. When they are set back they show it twice, and the first or last of
 * these is taken; when they are set forward they skip it, and it counts as the moment that much later.
 */
function zonedToUtc(clock: number, timezone: string, which: "first" | "last"): number {
  const offsets = [clock - dayMs, clock + dayMs].map((at) => offsetAt(at, timezone));
  const candidates = offsets.map((offset) => clock - offset);
  const fitting = candidates.filter((at) => at + offsetAt(at, timezone) === clock);
  if (fitting.length === 0) return Math.max(...candidates);
  return which === "first" ? Math.min(...fitting) : Math.max(...fitting);
}

/** Between these every year has four digits, and beyond them no zone is known to change. */
const [earliest, latest] = [Date.UTC(1000), Date.UTC(9000)];

function offsetAt(at: number, timezone: string): number {
  const seconds = Math.floor(Math.max(earliest, Math.min(latest, at)) / 1000) * 1000;
  const { day, time } = zonedParts(seconds, timezone);
  return Date.parse(`${day}T${time}Z`) - seconds;
}

/** For example `2025-06-01T14:30:00+02:00`. */
export function formatTimestamp(micros: number, timezone: string): string {
  const { day, time, offset } = zonedParts(Math.floor(micros / 1000), timezone);
  return `${day}T${time}${offset}`;
}

/** For example `2025-06-01T14:30:00.123456+02:00`. */
export function formatExactTimestamp(micros: number, timezone: string): string {
  const { day, time, offset } = zonedParts(Math.floor(micros / 1000), timezone);
  const rest = micros - Math.floor(micros / microsPerSecond) * microsPerSecond;
  return `${day}T${time}.${String(rest).padStart(6, "0")}${offset}`;
}

function zonedParts(ms: number, timezone: string): { day: string; time: string; offset: string } {
  const parts = new Map(
    formatterOf(timezone)
      .formatToParts(new Date(ms))
      .map(({ type, value }) => [type, value]),
  );
  const part = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? "";
  return {
    day: `${part("year").padStart(4, "0")}-${part("month")}-${part("day")}`,
    time: `${part("hour")}:${part("minute")}:${part("second")}`,
    offset: part("timeZoneName").replace("GMT", "") || "+00:00",
  };
}

/** There are about 600 zones, so all of them may stay. */
const formatters = new Map<string, Intl.DateTimeFormat>();

function formatterOf(timeZone: string): Intl.DateTimeFormat {
  const cached = formatters.get(timeZone);
  if (cached) return cached;
  const made = new Intl.DateTimeFormat("en-US", {
    timeZone,
    calendar: "gregory",
    hourCycle: "h23",
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    timeZoneName: "longOffset",
  });
  formatters.set(timeZone, made);
  return made;
}

/** `12s ago`, `5m ago`, `3h ago`, `2d ago`. */
export function formatAge(micros: number, now: number): string {
  const seconds = Math.max(0, Math.floor((now - micros) / microsPerSecond));
  if (seconds < 60) return `${seconds}s ago`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)}m ago`;
  return seconds < 86_400 ? `${Math.floor(seconds / 3600)}h ago` : `${Math.floor(seconds / 86_400)}d ago`;
}
