/** The official Python clients and agent files. The checks are in Python, beside the clients: clients/python. */
import { join } from "node:path";
import { expect, test } from "vitest";
import { startDirectedModels } from "./directed-models.ts";
import { runOutside } from "./outside.ts";
import { startServer } from "./server.ts";
import { findPython, whyMissing } from "./services.ts";

const folder = join(import.meta.dirname, "clients", "python");

test.for([
  { version: "1.12.1", script: "agent_files_current.py", dialect: "sqlite", least: 12 },
  { version: "0.1.324", script: "agent_files_older.py", dialect: "sqlite", least: 6 },
  { version: "1.12.1", script: "agent_files_current.py", dialect: "postgres", least: 12 },
] as const)("$dialect: letta-client $version for Python exports and imports agents", async (run, context) => {
  const { version, script, dialect, least } = run;
  const python = findPython(`letta-${version}`);
  if (!python) return context.skip(whyMissing(`letta-${version}`));
  const { providers } = await startDirectedModels();
  const { url, errors } = await startServer(dialect, context, { core: { providers } });
  const where = { cwd: folder, env: { PYTHONDONTWRITEBYTECODE: "1" } };
  const { status, stdout, stderr } = await runOutside(python, [script, url, "full"], where);
  expect(status, `${stderr}\n${errors.join("\n")}`).toBe(0);
  const summary = JSON.parse(stdout.trim().split("\n").at(-1) ?? "");
  expect(summary).toEqual({ client: version, checks: expect.any(Number) });
  expect(summary.checks).toBeGreaterThanOrEqual(least);
});
