/** Traffic recorded from the server that Memoir succeeds, in the folder of shared.ts. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "vitest";
import { hasShared, needsShared, sharedPath } from "./shared.ts";

const folder = sharedPath("wire");

/** A test that reads recordings; skips where there are none. */
export function testRecorded(name: string, compare: () => void | Promise<void>): void {
  test(name, (context) => (hasShared ? compare() : context.skip(needsShared)));
}

/** The body of the recorded answer. */
export function readAnswer<T>(file: string): T {
  return readRecording<{ response: { body: T } }>(file).response.body;
}

export function readRecording<T>(file: string): T {
  return JSON.parse(readFileSync(join(folder, file), "utf8")) as T;
}

export function listRecordings(pattern: RegExp): string[] {
  return readdirSync(folder).filter((name) => pattern.test(name));
}
