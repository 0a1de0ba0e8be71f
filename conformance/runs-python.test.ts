/** The official Python clients and runs. The checks are in Python, beside the clients: clients/python. */
import { join } from "node:path";
import { expect, test } from "vitest";
import { startDirectedModels } from "./directed-models.ts";
import { runOutside } from "./outside.ts";
import { startServer } from "./server.ts";
import { findPython, whyMissing } from "./services.ts";

const folder = join(import.meta.dirname, "clients", "python");

test.for([
  { version: "1.12.1", script: "runs_current.py", dialect: "sqlite", length: "full", least: 36 },
  { version: "1.12.1", script: "runs_current.py", dialect: "postgres", length: "smoke", least: 18 },
  { version: "0.1.324", script: "runs_older.py", dialect: "sqlite", length: "full", least: 28 },
] as const)("$dialect: letta-client $version for Python reads runs ($length)", async (run, context) => {
  const { version, script, dialect, length, least } = run;
  const python = findPython(`letta-${version}`);
  if (!python) return context.skip(whyMissing(`letta-${version}`));
  const { providers } = await startDirectedModels();
  const { url, errors } = await startServer(dialect, context, { core: { providers } });
  const where = { cwd: folder, env: { PYTHONDONTWRITEBYTECODE: "1" } };
  const { status, stdout, stderr } = await runOutside(python, [script, url, length], where);
  expect(status, `${stderr}\n${errors.join("\n")}`).toBe(0);
  const summary = JSON.parse(stdout.trim().split("\n").at(-1) ?? "");
  expect(summary).toEqual({ client: version, checks: expect.any(Number) });
  expect(summary.checks).toBeGreaterThanOrEqual(least);
});
