/** How long one caller can keep all others waiting with texts that are made to be slow. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { makeAgents } from "../agents.ts";
import { readDelays } from "../delays.ts";
import type { Line } from "../lines.ts";
import { type BenchServer, startServer } from "../start.ts";

const many = (unit: string, length = 99_000) => unit.repeat(length / unit.length);

type Send = (method: string, path: string, body: object) => Promise<string>;

/** By what is slow about them. */
const attacks: Readonly<Record<string, (send: Send, agent: string, page: string) => Promise<unknown>>> = {
  "a search for dots": (send) => send("POST", "/v1/messages/search", { query: `a${many(".", 9_000)}a` }),
  "a block of spaces": async (send, agent) => {
    await send("PATCH", `/v1/agents/${agent}/core-memory/blocks/human`, { value: `<${many(" ", 90_000)}` });
    await say(send, agent, "hello");
  },
  "a message of combining marks": (send, agent) => say(send, agent, `a${many("\u0300\u0316")}`),
  "a message of dots": (send, agent) => say(send, agent, `remember ${many(".")}x`),
  "packages between spaces": (send) =>
    send("POST", "/v1/tools/", {
      source_code: python("f1"),
      pip_requirements: [{ name: `a${many("==1          ")}@` }],
    }),
  "a docstring of spaces": (send) => send("POST", "/v1/tools/", { source_code: python("f2", `x${many(" ")}.`) }),
  "comments without an end": (send) =>
    send("POST", "/v1/tools/", { source_type: "typescript", source_code: `export function f( {}${many("/*")}` }),
  "a source of brackets": (send) => send("POST", "/v1/tools/", { source_code: python("f3") + many("(") }),
  "a patch of empty lines": (send, agent) =>
    run(send, agent, "memory_apply_patch", { label: "human", patch: `*** Add Block: n\n+${many("\n+")}x` }),
  "a text to replace": (send, agent) =>
    run(send, agent, "memory_replace", {
      label: "human",
      old_string: `${many(" ", 45_000)}x${many(" ", 45_000)}`,
      new_string: "",
    }),
  "a pattern that goes back and forth": async (send, agent) => {
    const parameters = { type: "object", properties: { x: { type: "string", pattern: "^(a+)+$" } } };
    const json_schema = { name: "f4", description: "f", parameters };
    const tool = await send("POST", "/v1/tools/", { source_code: python("f4"), json_schema });
    await send("PATCH", `/v1/agents/${agent}/tools/attach/${JSON.parse(tool).id}`, {});
    await run(send, agent, "f4", { x: `${many("a", 60)}!` });
  },
  "a web page of spaces": (send, agent, page) => run(send, agent, "fetch_webpage", { url: page }),
  "an address of slashes": async (send, agent) => {
    const llm_config = {
      ...{ model: "m", model_endpoint_type: "vllm", context_window: 8_000 },
      model_endpoint: `http://127.0.0.1:9/${many("/", 1_900)}a`,
    };
    await send("PATCH", `/v1/agents/${agent}`, { llm_config });
    await say(send, agent, "hello");
  },
};

const python = (name: string, line = "x: text.") =>
  `def ${name}(x: str):\n    """Does.\n\n    Args:\n        ${line}\n    """\n`;
const say = (send: Send, agent: string, text: string) =>
  send("POST", `/v1/agents/${agent}/messages`, { messages: [{ role: "user", content: text }] });
const run = (send: Send, agent: string, tool: string, args: object) =>
  send("POST", `/v1/agents/${agent}/tools/${tool}/run`, { args });

export const hostile: Line = {
  name: "hostile",
  async run() {
    const pages = createServer((_, response) => {
      response.setHeader("content-type", "text/html");
      response.end(`<html><body><article><p>hello</p><pre>a${many(" ", 4_000_000)}b</pre></article></body></html>`);
    }).listen(0, "127.0.0.1");
    await new Promise((resolve) => pages.once("listening", resolve));
    const page = `http://127.0.0.1:${(pages.address() as AddressInfo).port}/`;
    const server = await startServer("sqlite", true, { MEMOIR_FETCH_ALLOW_PRIVATE: "127.0.0.1" });
    const longest = await attack(server, page);
    await server.end();
    pages.close();
    const [[name, value] = ["", 0], ...others] = Object.entries(longest).sort(([, left], [, right]) => right - left);
    const notes = [name, ...others.slice(0, 2).map(([other, ms]) => `${other} ${ms.toFixed(0)} ms`)];
    return [{ name: "hostile texts: longest time without an answer", value, unit: "ms", target: 100, notes }];
  },
};

/** For each attack the longest that the server's event loop, or its health, was kept from answering. */
async function attack(server: BenchServer, page: string): Promise<Record<string, number>> {
  const { url } = server;
  const [agent] = await makeAgents(url, 1);
  const send: Send = async (method, path, body) => {
    const headers = { "content-type": "application/json" };
    return await (await fetch(`${url}${path}`, { method, headers, body: JSON.stringify(body) })).text();
  };
  // What the first long message loads, the tokenizer above all, is not the question.
  await say(send, agent?.id ?? "", many("hello ", 60_000));
  const longest: Record<string, number> = {};
  for (const [name, make] of Object.entries(attacks)) {
    await readDelays(server);
    const health = watchHealth(url);
    await make(send, agent?.id ?? "", page);
    longest[name] = Math.max((await readDelays(server)).max, await health.stop());
  }
  return longest;
}

/** Asks for the server's health every 20 ms; `stop` says what the slowest answer took. */
function watchHealth(url: string): { stop(): Promise<number> } {
  let isOver = false;
  let slowest = 0;
  const watch = async () => {
    while (!isOver) {
      const asked = performance.now();
      await (await fetch(`${url}/v1/health/`)).text();
      slowest = Math.max(slowest, performance.now() - asked);
      await sleep(20);
    }
  };
  const watching = watch();
  return {
    async stop() {
      isOver = true;
      await watching;
      return slowest;
    },
  };
}
