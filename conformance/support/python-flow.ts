/** Runs one of the scripts in clients/python with an official Python client of some version against a server. */
import { join } from "node:path";
import { expect, type TestContext } from "vitest";
import { runOutside } from "./outside.ts";
import { findPython, whyMissing } from "./services.ts";

const folder = join(import.meta.dirname, "..", "clients", "python");

export interface PythonFlow {
  /** Whose client it is; Letta's unless said. */
  readonly client?: "letta" | "openai";
  readonly version: string;
  readonly script: string;
  /** Words after the server's address. */
  readonly words: readonly string[];
  /** The script makes at least so many checks: one that checks nothing has gone wrong. */
  readonly least: number;
}

/** Skips the test where that client is not there. */
export async function runPythonFlow(
  context: TestContext,
  { url, errors }: { readonly url: string; readonly errors: readonly string[] },
  { client = "letta", version, script, words, least }: PythonFlow,
): Promise<void> {
  const tool = `${client}-${version}` as const;
  const python = findPython(tool);
  if (!python) return context.skip(whyMissing(tool));
  // The folder is ours and stays clean of what Python would write beside the scripts.
  const where = { cwd: folder, env: { PYTHONDONTWRITEBYTECODE: "1" } };
  const { status, stdout, stderr } = await runOutside(python, [script, url, ...words], where);
  expect(status, `${stderr}\n${errors.join("\n")}`).toBe(0);
  const summary = JSON.parse(stdout.trim().split("\n").at(-1) ?? "");
  expect(summary).toEqual({ client: version, checks: expect.any(Number) });
  expect(summary.checks).toBeGreaterThanOrEqual(least);
}
