/** The official Python clients against our server. The checks are in Python, beside the clients: clients/python. */
import { join } from "node:path";
import { expect, test } from "vitest";
import { runOutside } from "./outside.ts";
import { startServer } from "./server.ts";
import { findPython, whyMissing } from "./services.ts";

const folder = join(import.meta.dirname, "clients", "python");

test.for([
  { version: "1.12.1", script: "current.py", dialect: "sqlite", length: "full" },
  { version: "1.12.0", script: "current.py", dialect: "sqlite", length: "full" },
  { version: "0.1.324", script: "older.py", dialect: "sqlite", length: "full" },
  { version: "1.12.1", script: "current.py", dialect: "postgres", length: "smoke" },
  { version: "0.1.324", script: "older.py", dialect: "postgres", length: "smoke" },
] as const)("$dialect: letta-client $version for Python works as it is ($length)", async (run, context) => {
  const { version, script, dialect, length } = run;
  const python = findPython(`letta-${version}`);
  if (!python) return context.skip(whyMissing(`letta-${version}`));
  const { url, errors } = await startServer(dialect, context);
  // The folder is ours and stays clean of what Python would write beside the scripts.
  const where = { cwd: folder, env: { PYTHONDONTWRITEBYTECODE: "1" } };
  const { status, stdout, stderr } = await runOutside(python, [script, url, length], where);
  expect(status, `${stderr}\n${errors.join("\n")}`).toBe(0);
  const summary = JSON.parse(stdout.trim().split("\n").at(-1) ?? "");
  expect(summary).toEqual({ client: version, checks: expect.any(Number) });
  expect(summary.checks).toBeGreaterThan(20);
});
