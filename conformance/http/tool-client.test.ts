/** What a tool at work can ask of the server that runs it: about its own agent, and about nothing else. */
import { expect, test } from "vitest";
import { needSandbox } from "../../packages/core/src/testing/sandboxes.ts";
import { startServerProcess } from "../support/server.ts";

const python = `
def probe(other: str, agent_id: str):
    """
    Tries what a tool may do.

    Args:
        other (str): Another agent.
    """
    import os, urllib.request

    def attempt(work):
        try:
            return work()
        except Exception as error:
            return str(error)[:3]

    before = client.agents.blocks.retrieve("human", agent_id=agent_id).value
    client.agents.blocks.modify(agent_id=agent_id, block_label="human", value="Ada")
    client.agents.passages.create(agent_id=agent_id, text="likes tea")

    def without_key():
        return urllib.request.urlopen(os.environ["LETTA_BASE_URL"] + "/v1/agents/" + other).status

    return {
        "before": before,
        "after": client.get(f"/v1/agents/{agent_id}/core-memory/blocks/human").value,
        "known": [os.environ["LETTA_AGENT_ID"] == agent_id, os.environ["LETTA_TOOL_ID"][:5]],
        "other agent": attempt(lambda: client.get("/v1/agents/" + other)),
        "other agent, without the key": attempt(without_key),
        "all agents": attempt(lambda: len(client.get("/v1/agents/"))),
        "tools": attempt(lambda: client.get("/v1/tools/")),
        "new tool": attempt(lambda: client.post("/v1/tools/", {"source_code": "x"})),
        "keys": attempt(lambda: client.get("/v1/memoir/keys")),
        "key": client.key,
    }
`;

const typescript = `
/** Reads a block. */
export async function read(label: string): Promise<string> {
  const { LETTA_AGENT_ID: id } = process.env;
  return (await client.get("/v1/agents/" + id + "/core-memory/blocks/" + label)).value;
}
`;

/** Whatever was asked for. */
interface Answer {
  readonly id: string;
  readonly stderr: string[];
  readonly func_return: Readonly<Record<string, unknown>>;
}

test("a tool reads and writes its own agent, whatever it sends; the key dies with the call", async (context) => {
  await needSandbox(context);
  const { url } = await startServerProcess("sqlite", context);
  const ask = async (method: string, path: string, body?: object, headers: Record<string, string> = {}) => {
    const type = { "content-type": "application/json", ...headers };
    const answer = await fetch(`${url}${path}`, {
      method,
      headers: type,
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    return { status: answer.status, body: (await answer.json()) as Answer };
  };
  const blocks = [{ label: "human", value: "unknown" }];
  const create = async (toolIds: string[]) =>
    (await ask("POST", "/v1/agents/", { model: "memoir/demo", memory_blocks: blocks, tool_ids: toolIds })).body
      .id as string;
  const probe = (await ask("POST", "/v1/tools/", { source_code: python })).body.id;
  const read = (await ask("POST", "/v1/tools/", { source_code: typescript, source_type: "typescript" })).body.id;
  const [agent, other] = [await create([probe, read]), await create([])];
  const { body } = await ask("POST", `/v1/agents/${agent}/tools/probe/run`, { args: { other } });
  expect(body.stderr).toEqual([]);
  const { key, ...seen } = body.func_return;
  expect(seen).toEqual({
    before: "unknown",
    after: "Ada",
    known: [true, "tool-"],
    "other agent": "404",
    "other agent, without the key": "HTT",
    "all agents": "403",
    tools: "403",
    "new tool": "403",
    keys: "403",
  });
  const late = await ask("GET", `/v1/agents/${agent}`, undefined, { authorization: `Bearer ${key}` });
  expect(late.status).toBe(401);
  const byTypescript = await ask("POST", `/v1/agents/${agent}/tools/read/run`, { args: { label: "human" } });
  expect(byTypescript.body).toMatchObject({ status: "success", func_return: "Ada" });
  const { body: passages } = await ask("GET", `/v1/agents/${agent}/archival-memory`);
  expect(passages).toMatchObject([{ text: "likes tea" }]);
});
