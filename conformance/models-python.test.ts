/** The official Python client lists models, stores a provider of its own and talks through it. */
import { join } from "node:path";
import { expect, test } from "vitest";
import { dialects } from "../packages/core/src/testing/databases.ts";
import { startModelServer } from "./model-server.ts";
import { runOutside } from "./outside.ts";
import { startServer } from "./server.ts";
import { findPython, whyMissing } from "./services.ts";

const folder = join(import.meta.dirname, "clients", "python");
const version = "1.12.1";

test.for(dialects)("%s: letta-client for Python uses models and providers", async (dialect, context) => {
  const python = findPython(`letta-${version}`);
  if (!python) return context.skip(whyMissing(`letta-${version}`));
  const { url, errors } = await startServer(dialect, context);
  const models = await startModelServer(["our-model"]);
  const where = { cwd: folder, env: { PYTHONDONTWRITEBYTECODE: "1" } };
  const { status, stdout, stderr } = await runOutside(python, ["models_current.py", url, models.origin], where);
  expect(status, `${stderr}\n${errors.join("\n")}`).toBe(0);
  const summary = JSON.parse(stdout.trim().split("\n").at(-1) ?? "");
  expect(summary).toEqual({ client: version, checks: 18 });
});
