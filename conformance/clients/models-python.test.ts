/** The official Python client lists models, stores a provider of its own and talks through it. */
import { test } from "vitest";
import { dialects } from "../../packages/core/src/testing/databases.ts";
import { startModelServer } from "../support/model-server.ts";
import { runPythonFlow } from "../support/python-flow.ts";
import { startServer } from "../support/server.ts";

test.for(dialects)("%s: letta-client for Python uses models and providers", async (dialect, context) => {
  const server = await startServer(dialect, context);
  const { origin } = await startModelServer(["our-model"]);
  await runPythonFlow(context, server, { version: "1.12.1", script: "models_current.py", words: [origin], least: 18 });
});
