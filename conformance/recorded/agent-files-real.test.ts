/** Real agent files, of both formats, through our server: what comes out again is what went in. */
import { expect, test } from "vitest";
import { dialects } from "../../packages/core/src/testing/databases.ts";
import { hasShared, needsShared } from "../../packages/core/src/testing/shared.ts";
import {
  contentOf,
  exportFile,
  importFile,
  type Loose,
  parseFile,
  readRealFile,
  realFiles,
} from "../support/agent-files.ts";
import { startDirectedModels } from "../support/directed-models.ts";
import { startServer } from "../support/server.ts";

const idPattern = /^(agent|group|block|file|source|tool|message|mcp_server)-\d+$/;

test.for(dialects)("%s: every real file comes out as it went in, and its agent answers", async (dialect, context) => {
  if (!hasShared) return context.skip(needsShared);
  expect(realFiles.length).toBeGreaterThan(0);
  const { providers } = await startDirectedModels();
  const { url, errors } = await startServer(dialect, context, { core: { providers } });
  for (const name of realFiles) {
    const text = readRealFile(name);
    const [first = ""] = await importFile(url, text);
    const exported = await exportFile(url, first);
    expect(contentOf(exported), name).toEqual(contentOf(parseFile(text)));
    expect(exported.metadata.revision_id, name).toMatch(/./);
    for (const list of ["agents", "groups", "blocks", "files", "sources", "tools"]) {
      for (const { id } of exported[list]) expect(id).toMatch(idPattern);
    }
    const answer = await fetch(`${url}/v1/agents/${first}/messages`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ messages: [{ role: "user", content: "hello" }], override_model: "openai/gpt-4o-mini" }),
    });
    expect([answer.status, ((await answer.json()) as Loose).stop_reason?.stop_reason], name).toEqual([200, "end_turn"]);
  }
  expect(errors).toEqual([]);
});
