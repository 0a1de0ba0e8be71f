/**
 * Traffic recorded from the server that Memoir succeeds. It lies in `../shared`, beside a developer's checkout; whoever
 * clones the project alone does not have it, and a test that compares with it then does not exist. It is not a skip:
 * nobody can do anything about it. `npm test` says that they were left out.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { test } from "vitest";

const folder = resolve(import.meta.dirname, "../../../../../shared/fixtures/wire");

/** A test that reads recordings; nothing where there are none. */
export function testRecorded(name: string, compare: () => void | Promise<void>): void {
  if (existsSync(folder)) test(name, compare);
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
