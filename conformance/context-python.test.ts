/** The official Python client, the overview of a context and its compaction. The checks are in Python: clients/python. */
import { join } from "node:path";
import { expect, test } from "vitest";
import { startDirectedModels } from "./directed-models.ts";
import { runOutside } from "./outside.ts";
import { startServer } from "./server.ts";
import { findPython, whyMissing } from "./services.ts";

const folder = join(import.meta.dirname, "clients", "python");
const version = "1.12.1";

test.for([
  { dialect: "sqlite", length: "full", least: 14 },
  { dialect: "postgres", length: "smoke", least: 8 },
] as const)("$dialect: letta-client for Python makes contexts shorter ($length)", async (run, context) => {
  const { dialect, length, least } = run;
  const python = findPython(`letta-${version}`);
  if (!python) return context.skip(whyMissing(`letta-${version}`));
  const { providers } = await startDirectedModels();
  const { url, errors } = await startServer(dialect, context, { core: { providers } });
  const where = { cwd: folder, env: { PYTHONDONTWRITEBYTECODE: "1" } };
  const { status, stdout, stderr } = await runOutside(python, ["context_current.py", url, length], where);
  expect(status, `${stderr}\n${errors.join("\n")}`).toBe(0);
  const summary = JSON.parse(stdout.trim().split("\n").at(-1) ?? "");
  expect(summary).toEqual({ client: version, checks: expect.any(Number) });
  expect(summary.checks).toBeGreaterThanOrEqual(least);
});
