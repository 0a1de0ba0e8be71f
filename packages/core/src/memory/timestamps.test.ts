import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { formatAge, formatTimestamp, parseTimestamp, readSpan } from "./timestamps.ts";

const micros = (iso: string) => Date.parse(iso) * 1000;
const span = (start: string | undefined, end: string | undefined, zone = "UTC") =>
  readSpan({ name: "start_date", text: start }, { name: "end_date", text: end }, zone);

describe("a date", () => {
  test("without a time is the whole day of the zone, both ends included", () => {
    expect(span("2025-06-01", "2025-06-01", "Europe/Paris")).toEqual({
      since: micros("2025-05-31T22:00:00Z"),
      until: micros("2025-06-01T22:00:00Z") - 1,
    });
  });

  test("without an offset is read in the zone, with one it is not", () => {
    expect(span("2025-06-01T14:30", undefined, "America/New_York").since).toBe(micros("2025-06-01T18:30:00Z"));
    for (const text of [
      "2025-06-01T14:30Z",
      "2025-06-01 14:30:00+00:00",
      "2025-06-01T16:30+02",
      "2025-06-01T09:00-0530",
    ]) {
      expect(span(text, undefined, "America/New_York").since, text).toBe(micros("2025-06-01T14:30:00Z"));
    }
  });

  test("as an end counts to the end of its second, or to the fraction it names", () => {
    expect(span(undefined, "2025-06-01T14:30Z").until).toBe(micros("2025-06-01T14:30:01Z") - 1);
    expect(span(undefined, "2025-06-01T14:30:05.25Z").until).toBe(micros("2025-06-01T14:30:05.250Z"));
    expect(span("2025-06-01T14:30:05.123456Z", undefined).since).toBe(micros("2025-06-01T14:30:05Z") + 123_456);
  });

  test("left out or blank is no bound", () => {
    expect(span(undefined, "  ")).toEqual({ since: undefined, until: undefined });
  });

  test("may be a day that is not 24 hours long", () => {
    const hours = (day: string, zone: string) => {
      const stretch = parseTimestamp(day, zone);
      return stretch && (stretch.last + 1 - stretch.first) / 3_600_000_000;
    };
    expect(hours("2025-03-30", "Europe/Paris")).toBe(23);
    expect(hours("2025-10-26", "Europe/Paris")).toBe(25);
    expect(hours("2025-04-06", "Australia/Lord_Howe")).toBe(24.5);
    expect(hours("2025-09-07", "America/Santiago")).toBe(23); // the day has no midnight
  });

  test("that a clock shows twice covers both, that it skips is the moment after", () => {
    const twice = parseTimestamp("2025-10-26T02:30", "Europe/Paris");
    expect(twice?.first).toBe(micros("2025-10-26T00:30:00Z"));
    expect(twice?.last).toBe(micros("2025-10-26T01:30:01Z") - 1);
    expect(parseTimestamp("2025-03-30T02:30", "Europe/Paris")?.first).toBe(micros("2025-03-30T01:30:00Z"));
  });

  test.for([
    "yesterday",
    "2025-02-30",
    "2025-13-01",
    "2025-06-01T25:00",
    "2025-06-01T24:00",
    "2025-6-1",
    "01/06/2025",
    "2025-06-01T",
    "2025-06-01'; drop table message; --",
    "1748736000",
  ])("is refused with the remedy if it is none: %s", (text) => {
    expect(() => span(text, undefined)).toThrow(/^start_date is ".*", which is no date\. Write it in ISO 8601: a day/);
    expect(() => span(undefined, text)).toThrow(/^end_date is/);
  });

  test("is refused as a start after the end", () => {
    expect(() => span("2025-06-02", "2025-06-01")).toThrow(
      /start_date \(2025-06-02\) is later than end_date.*Swap them/,
    );
    span("2025-06-01", "2025-06-01");
  });

  test("far away stays a number the databases take", () => {
    expect(Number.isSafeInteger(span("9999-12-31", undefined).since)).toBe(true);
    expect(Number.isSafeInteger(span("0001-01-01", undefined).since)).toBe(true);
  });
});

describe("a shown moment", () => {
  const zones = ["UTC", "Europe/Paris", "America/St_Johns", "Asia/Kathmandu", "Pacific/Apia"];

  test("is in the zone, with its offset", () => {
    expect(formatTimestamp(micros("2025-06-01T12:00:00Z"), "Europe/Paris")).toBe("2025-06-01T14:00:00+02:00");
    expect(formatTimestamp(micros("2025-01-01T00:00:00Z"), "UTC")).toBe("2025-01-01T00:00:00+00:00");
  });

  test("is read back as a second that holds it", () => {
    const moment = fc.integer({ min: micros("1971-01-01T00:00:00Z"), max: micros("2200-01-01T00:00:00Z") });
    fc.assert(
      fc.property(moment, fc.constantFrom(...zones), (at, zone) => {
        const stretch = parseTimestamp(formatTimestamp(at, zone), "Asia/Tokyo");
        expect(stretch?.first).toBeLessThanOrEqual(at);
        expect(stretch?.last).toBeGreaterThanOrEqual(at);
      }),
    );
  });

  test("lies in the day and the local time it shows", () => {
    const moment = fc.integer({ min: micros("1975-01-01T00:00:00Z"), max: micros("2037-01-01T00:00:00Z") });
    fc.assert(
      fc.property(moment, fc.constantFrom(...zones), (at, zone) => {
        const shown = formatTimestamp(at, zone);
        for (const text of [shown.slice(0, 10), shown.slice(0, 19)]) {
          const stretch = parseTimestamp(text, zone);
          expect(stretch?.first).toBeLessThanOrEqual(at);
          expect(stretch?.last).toBeGreaterThanOrEqual(at);
        }
      }),
    );
  });
});

test("ages are given in one unit", () => {
  const now = micros("2025-06-01T12:00:00Z");
  const seconds = (count: number) => formatAge(now - count * 1_000_000, now);
  expect([-5, 0, 12, 59, 60, 3599, 3600, 86_399, 86_400, 200_000].map(seconds)).toEqual([
    "0s ago",
    "0s ago",
    "12s ago",
    "59s ago",
    "1m ago",
    "59m ago",
    "1h ago",
    "23h ago",
    "1d ago",
    "2d ago",
  ]);
});
