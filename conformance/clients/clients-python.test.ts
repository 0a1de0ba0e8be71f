/** The official Python clients against our server. The checks are in Python, beside the clients: clients/python. */
import { test } from "vitest";
import { startDirectedModels } from "../support/directed-models.ts";
import { runPythonFlow } from "../support/python-flow.ts";
import { startServer } from "../support/server.ts";

/** Which client walks which script, on which database, whole or in short, and how many checks that makes at least. */
const flows = [
  ["1.12.1", "current.py", "sqlite", "full", 21],
  ["1.12.0", "current.py", "sqlite", "full", 21],
  ["0.1.324", "older.py", "sqlite", "full", 21],
  ["1.12.1", "current.py", "postgres", "smoke", 21],
  ["0.1.324", "older.py", "postgres", "smoke", 21],
  ["1.12.1", "messages_current.py", "sqlite", "full", 45],
  ["0.1.324", "messages_older.py", "sqlite", "full", 30],
  ["1.12.1", "messages_current.py", "postgres", "full", 45],
  ["0.1.324", "messages_older.py", "postgres", "full", 30],
  ["1.12.1", "conversations_current.py", "sqlite", "full", 28],
  ["1.12.1", "conversations_current.py", "postgres", "smoke", 8],
  ["1.12.1", "context_current.py", "sqlite", "full", 14],
  ["1.12.1", "context_current.py", "postgres", "smoke", 8],
  ["1.12.1", "runs_current.py", "sqlite", "full", 36],
  ["1.12.1", "runs_current.py", "postgres", "smoke", 18],
  ["0.1.324", "runs_older.py", "sqlite", "full", 28],
  ["1.12.1", "tools_current.py", "sqlite", "full", 40],
  ["1.12.0", "tools_current.py", "sqlite", "smoke", 15],
  ["0.1.324", "tools_older.py", "sqlite", "full", 20],
  ["1.12.1", "tools_current.py", "postgres", "smoke", 10],
  ["1.12.1", "folders_current.py", "sqlite", "full", 25],
  ["0.1.324", "folders_older.py", "sqlite", "full", 25],
  ["1.12.1", "folders_current.py", "postgres", "smoke", 8],
  ["1.12.1", "agent_files_current.py", "sqlite", "full", 12],
  ["0.1.324", "agent_files_older.py", "sqlite", "full", 6],
  ["1.12.1", "agent_files_current.py", "postgres", "full", 12],
  ["1.12.1", "approvals_current.py", "sqlite", "full", 35],
  ["0.1.324", "approvals_older.py", "sqlite", "full", 20],
  ["1.12.1", "approvals_current.py", "postgres", "smoke", 18],
] as const;

test.for(flows)("letta-client %s for Python works as it is: %s on %s, %s", async (flow, context) => {
  const [version, script, dialect, length, least] = flow;
  const { providers } = await startDirectedModels();
  const server = await startServer(dialect, context, { core: { providers } });
  await runPythonFlow(context, server, { version, script, words: [length], least });
});
