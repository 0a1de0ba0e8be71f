import { expect, test } from "vitest";
import { describeProviders, formatCount, formatTimestamp, nameDatabase } from "./format.ts";

test("databases go by the names people know", () => {
  expect(nameDatabase("sqlite")).toBe("SQLite");
  expect(nameDatabase("postgres")).toBe("PostgreSQL");
});

test("large counts are grouped the reader's way", () => {
  expect(formatCount(0, "en")).toBe("0");
  expect(formatCount(12345, "en")).toBe("12,345");
  expect(formatCount(12345, "de")).toBe("12.345");
});

test("a moment is told in the reader's time zone", () => {
  const moment = formatTimestamp("2030-01-02T23:30:00Z", "en-GB", "Europe/Berlin");
  expect(moment).toEqual({ day: "3 Jan 2030", time: "00:30" });
});

test("text that is no date is shown as it came", () => {
  expect(formatTimestamp("soon")).toEqual({ day: "soon" });
});

test("the providers' sentence fits their number", () => {
  expect(describeProviders(0)).toBe("No model provider was found; memoir/demo needs none.");
  expect(describeProviders(1)).toBe("One model provider was found.");
  expect(describeProviders(3)).toBe("3 model providers were found.");
});
