/** What tools written for the old server find around them. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { createToolEnvironment } from "./tool-environment.ts";

const identity = {
  orgId: "org-1",
  userId: "user-1",
  toolId: "tool-1",
  toolName: "roll",
  agentId: "agent-1",
  projectId: "project-1",
};

test("a tool finds itself, its agent and their project by the old names", () => {
  const { nameTool } = createToolEnvironment(1_000);
  expect(nameTool?.(identity)).toEqual({
    LETTA_TOOL_ID: "tool-1",
    LETTA_AGENT_ID: "agent-1",
    LETTA_PROJECT_ID: "project-1",
    PROJECT_ID: "project-1",
  });
  expect(nameTool?.({ ...identity, toolId: undefined, agentId: undefined, projectId: null })).toEqual({});
});

test("credentials are asked for with the key, and a service that fails costs the tool nothing else but a line in the log", async () => {
  const asked: unknown[] = [];
  const said: object[] = [];
  const nothing = () => {};
  const log = { debug: nothing, info: nothing, warn: (fields: object) => void said.push(fields), error: nothing };
  const server = createServer(async (request, response) => {
    let text = "";
    for await (const part of request) text += part;
    asked.push([request.url, request.headers.authorization, JSON.parse(text)]);
    if (asked.length === 2) response.writeHead(307, { location: "/elsewhere" });
    response.end(asked.length === 3 ? '{"TOKEN": secret}' : JSON.stringify({ TOKEN: "t", COUNT: 5 }));
  }).listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await new Promise((resolve) => server.once("listening", resolve));
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const { fetchCredentials } = createToolEnvironment(1_000, { endpoint, key: "k", log });
  expect(await fetchCredentials?.(identity)).toEqual({ TOKEN: "t" });
  expect(asked[0]).toEqual([
    "/webhook/sandbox-credentials",
    "Bearer k",
    { user_id: "user-1", organization_id: "org-1", tool_name: "roll", agent_id: "agent-1" },
  ]);
  expect(said).toEqual([]);
  expect(await fetchCredentials?.(identity)).toEqual({});
  expect(await fetchCredentials?.(identity)).toEqual({});
  expect(asked).toHaveLength(3);
  expect(said).toEqual([
    { error: "it answered 307", tool: "roll" },
    { error: "its answer is not JSON", tool: "roll" },
  ]);
  const pasted = createToolEnvironment(1_000, { endpoint, key: "two\nlines", log });
  expect(await pasted.fetchCredentials?.(identity)).toEqual({});
  expect(said.at(-1)).toEqual({ error: "TypeError", tool: "roll" });
  expect(createToolEnvironment(1_000).fetchCredentials).toBeUndefined();
});
