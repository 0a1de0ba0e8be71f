/**
 * 10,000 wrong requests on each database: each is answered, none with a server error, and the server works on. The seed
 * changes every day and is printed; MEMOIR_TEST_SEED repeats a day.
 */
import { randomBytes } from "node:crypto";
import { Agent, request } from "node:http";
import { connect } from "node:net";
import { expect, test } from "vitest";
import { dialects } from "../../packages/core/src/testing/databases.ts";
import { startServer, type TestServer } from "../support/server.ts";
import {
  type Document,
  demoModel,
  type KnownIds,
  makeBytes,
  makeRequest,
  type OddRequest,
} from "./malformed-requests.ts";

const requests = 9700;
const rawConnections = 300;
const parallel = 16;
/** Far beyond what any answer takes: whoever waits this long waits for ever. */
const timeoutMs = 30_000;

/** One a day, so that everyone who tests on that day sends the same requests. */
const seedOfDay = Math.floor(Date.now() / 86_400_000);
const seed = Number(process.env.MEMOIR_TEST_SEED ?? seedOfDay);

interface Answer {
  /** 0 where the server closed the connection without an answer. */
  readonly status: number;
  readonly type: string;
  readonly body: string;
}

test.for(dialects)(
  "%s: no wrong request brings a server error, a hang or an unreadable answer",
  async (dialect, context) => {
    console.log(`MEMOIR_TEST_SEED=${seed}`);
    const server = await startServer(dialect, context);
    const document = (await (await fetch(`${server.url}/openapi.json`)).json()) as Document;
    const known = await makeRows(server);
    const agent = new Agent({ keepAlive: true, maxSockets: parallel });
    const statuses = new Map<number, number>();
    const complaints: string[] = [];
    const note = (answer: Answer, tell: () => string) => {
      statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
      const complaint = findComplaint(answer);
      if (complaint) complaints.push(`${complaint}\nto ${tell()}`);
    };
    try {
      await inParallel(requests, async (number) => {
        const odd = makeRequest(document, known, seed, number);
        const tell = () => `request ${number}: ${describeRequest(odd)}`;
        note(await send(server.url, agent, odd, tell), tell);
      });
      await inParallel(rawConnections, async (number) => {
        const bytes = makeBytes(known, seed, number);
        const tell = () => `connection ${number}: ${JSON.stringify(bytes.toString("latin1").slice(0, 1000))}`;
        for (const status of await sendBytes(server.url, bytes, tell)) note({ status, type: "", body: "" }, tell);
      });
    } finally {
      agent.destroy();
    }
    expect(complaints.slice(0, 5), `seed ${seed}\n${server.errors.slice(0, 5).join("\n")}`).toEqual([]);
    expect(server.errors.slice(0, 5), `seed ${seed}: these were logged as faults of ours`).toEqual([]);
    // A generator that only ever meets one answer tests nothing.
    expect([...statuses.keys()]).toEqual(expect.arrayContaining([200, 400, 404, 405, 409, 422]));
    await expectHealthy(server);
  },
);

const unknownAgent = "agent-00000000-0000-4000-8000-00000000dead";
const endless = randomBytes(5000).toString("hex");
const multitude = (prefix: string) =>
  Array.from({ length: 70_000 }, (_, index) => `${prefix}-00000000-0000-4000-8000-${String(index).padStart(12, "0")}`);
const manyBlocks = Array.from({ length: 5000 }, (_, index) => ({ label: `label ${index}`, value: "x" }));
const createAgent = (fields: object) => ["POST", "/v1/agents/", { model: demoModel, ...fields }] as const;
const createProvider = (fields: object) =>
  ["POST", "/v1/providers/", { name: "mine", provider_type: "openai", api_key: "k", ...fields }] as const;
const updateAgent = (fields: object) => ["PATCH", "/v1/agents/{agent}", fields] as const;

const createGroup = (fields: object) => ["POST", "/v1/groups/", { agent_ids: [], description: "", ...fields }] as const;
const mcpServer = { mcp_server_type: "sse", server_url: "https://mcp.example.com/sse" };
const createServer = (fields: object, config: object = {}) =>
  ["POST", "/v1/mcp-servers/", { server_name: "x", config: { ...mcpServer, ...config }, ...fields }] as const;
const variables = "/v1/sandbox-config/{sandbox}/environment-variable";

const createTool = (fields: object) => ["POST", "/v1/tools/", { source_code: "def f(): pass", ...fields }] as const;
const file = (fields: object) => ["POST", "/v1/archives/{archive}/passages", fields] as const;
const growing = {
  properties: { a: { $ref: "#/$defs/d0" } },
  $defs: Object.fromEntries(
    Array.from({ length: 40 }, (_, level) => {
      const next = { $ref: `#/$defs/d${level + 1}` };
      return [`d${level}`, { properties: { a: next, b: next } }];
    }),
  ),
};

/** Each was a server error once, on one database at least, or would be without a check of its own. */
const traps: readonly [
  what: string,
  request: readonly [method: string, path: string, body?: object],
  status: number,
][] = [
  ["a tag that fits no index", createAgent({ tags: [endless] }), 422],
  ["a name that fits no index", createAgent({ name: endless }), 422],
  ["a block's label that fits no index", createAgent({ memory_blocks: [{ label: endless, value: "" }] }), 422],
  ["a secret's name that fits no index", createAgent({ secrets: { [endless]: "x" } }), 422],
  ["a label that fits no index", ["POST", "/v1/blocks/", { label: endless }], 422],
  ["an identity's key that fits no index", ["PATCH", "/v1/identities/{identity}", { identifier_key: endless }], 422],
  ["more blocks than a statement holds", createAgent({ block_ids: multitude("block") }), 422],
  ["as many blocks as are allowed", createAgent({ memory_blocks: manyBlocks }), 200],
  ["more tools than a statement holds", createAgent({ tools: multitude("tool") }), 422],
  ["more tool ids than a statement holds", updateAgent({ tool_ids: multitude("tool") }), 422],
  ["more identities than a statement holds", updateAgent({ identity_ids: multitude("identity") }), 422],
  ["more folders than a statement holds", updateAgent({ folder_ids: multitude("source") }), 422],
  ["more messages than a statement holds", updateAgent({ message_ids: multitude("message") }), 422],
  [
    "more agents than a statement holds",
    ["PATCH", "/v1/identities/{identity}", { agent_ids: multitude("agent") }],
    422,
  ],
  ["a provider's name that fits no index", createProvider({ name: endless }), 422],
  ["a provider at an address where nobody is", createProvider({ base_url: "http://127.0.0.1:2" }), 200],
  ["a provider of a kind without an address", createProvider({ name: "x", provider_type: "vllm" }), 200],
  ["a model of a provider that does not answer", createAgent({ model: "p-0/x" }), 404],
  ["an embedding of a provider that does not answer", createAgent({ embedding: "p-0/x" }), 400],
  ["a folder's name that fits no index", ["POST", "/v1/folders/", { name: endless }], 422],
  ["a folder for an embedding nobody knows", ["POST", "/v1/folders/", { name: "x", embedding: "p-0/x" }], 400],
  ["a group of more agents than a statement holds", createGroup({ agent_ids: multitude("agent") }), 422],
  ["a group that nobody manages", createGroup({ manager_config: { manager_type: "dynamic" } }), 422],
  ["an MCP server's name that fits no index", createServer({ server_name: endless }), 422],
  ["an MCP server's header that fits no index", createServer({}, { custom_headers: { [endless]: "x" } }), 422],
  ["an MCP server's header of two lines", createServer({}, { custom_headers: { a: "x\r\nb: y" } }), 422],
  ["a variable that fits no index", ["POST", variables, { key: endless, value: "x" }], 422],
  ["a moment no number holds", updateAgent({ last_run_completion: "0001-01-01T00:00:00Z" }), 422],
  [
    "less than no tokens",
    updateAgent({ llm_config: { model: "m", model_endpoint_type: "openai", context_window: 8000, max_tokens: -5 } }),
    422,
  ],
  ["a tool with more source than anybody reads", createTool({ source_code: "#".repeat(500_001) }), 422],
  ["a tool whose parameters have no end", createTool({ source_code: `def f(${"a,".repeat(200_000)}` }), 400],
  ["a tool whose types have no end", createTool({ source_code: `def f(a: ${"list[".repeat(90_000)}` }), 400],
  ["a tool's name that fits no index", createTool({ json_schema: { name: endless } }), 400],
  ["a tool without a name", createTool({ json_schema: {} }), 400],
  ["a schema of arguments that grows without end", createTool({ args_json_schema: growing }), 400],
  ["no types of tools", ["GET", "/v1/tools/?tool_types="], 200],
  ["more types of tools than there are", ["POST", "/v1/tools/search", { tool_types: multitude("tool") }], 422],
  ["a passage that fits no index", file({ text: randomBytes(600_000).toString("hex") }), 422],
  ["a passage's tag that fits no index", file({ text: "x", tags: [endless] }), 422],
  ["a passage from before all numbers", file({ text: "x", created_at: "0001-01-01T00:00:00Z" }), 422],
  ["a search by nothing but marks", ["POST", "/v1/passages/search", { query: '"*) OR NEAR(' }], 200],
  ["a search by more words than fit", ["POST", "/v1/passages/search", { query: `${endless} `.repeat(100) }], 200],
  ["a message search by nothing but marks", ["POST", "/v1/messages/search", { query: '"*) OR NEAR(' }], 200],
  [
    "a message search by more words than fit",
    ["POST", "/v1/messages/search", { query: `${endless} `.repeat(100) }],
    200,
  ],
  [
    "more messages at once than a commit takes",
    ["POST", "/v1/messages/batches", { requests: manyBlocks.map(() => ({ agent_id: unknownAgent, input: "x" })) }],
    422,
  ],
  [
    "an answer to be told to this machine",
    ["POST", "/v1/agents/{agent}/messages/async", { input: "x", callback_url: "http://[::ffff:127.0.0.1]/" }],
    422,
  ],
  [
    "more runs to cancel than anyone has",
    ["POST", "/v1/agents/{agent}/messages/cancel", { run_ids: multitude("run") }],
    422,
  ],
  ["runs from before all numbers", ["GET", "/v1/_internal_runs/?start_date=0001-01-01T00:00:00Z"], 422],
  ["a percentile of nothing", ["GET", "/v1/_internal_runs/?duration_percentile=50&agent_id=none"], 200],
  ["runs after one that is none", ["GET", "/v1/runs/?after=x"], 404],
  ["bytes that are no text, in a path", ["GET", "/v1/agents/%ff%fe"], 400],
  ["letters that are not escaped, in a path", ["GET", "/v1/agents/\u00e9\u00ff"], 400],
  ["tags of a database without any", ["GET", "/v1/tags/"], 200],
];

test.for(dialects)("%s: what once broke the server no longer does", async (dialect, context) => {
  const server = await startServer(dialect, context);
  const known = await makeRows(server, 1);
  const agent = new Agent();
  for (const [what, [method, template, body], status] of traps) {
    const path = template.replace(/\{(\w+)\}/, (_, prefix: string) => known[prefix]?.[0] ?? "");
    const odd: OddRequest = {
      method,
      path,
      headers: body ? { "content-type": "application/json" } : {},
      body: body && Buffer.from(JSON.stringify(body)),
    };
    const answer = await send(server.url, agent, odd, () => what);
    expect([what, answer.status, findComplaint(answer)]).toEqual([what, status, undefined]);
  }
  expect(server.errors).toEqual([]);
});

/** Agents, blocks and people for the requests to hit. Some are deleted on the way, which is as well. */
async function makeRows({ url }: TestServer, count = 40): Promise<KnownIds> {
  const known: Record<string, string[]> = {
    agent: [],
    block: [],
    identity: [],
    provider: [],
    conv: [],
    tool: [],
    archive: [],
    passage: [],
    run: [],
    job: [],
    source: [],
    group: [],
    mcp_server: [],
    sandbox: [],
  };
  const make = async (path: string, body: object) => {
    const { id } = (await (await post(url + path, body)).json()) as { id: string };
    known[id.slice(0, id.indexOf("-"))]?.push(id);
  };
  for (let index = 0; index < count; index++) {
    const memory_blocks = ["human", "persona"].map((label) => ({ label, value: "x" }));
    await make("/v1/agents/", { model: demoModel, memory_blocks, tags: ["t"] });
    await make(`/v1/conversations/?agent_id=${known.agent?.at(-1)}`, { isolated_block_labels: ["human"] });
    await make("/v1/blocks/", { label: "shared", value: "x", tags: ["t"] });
    await make("/v1/identities/", { identifier_key: `k-${index}`, name: "Ada", identity_type: "user" });
    const json_schema = { name: `tool_${index}`, parameters: { type: "object", properties: {} } };
    await make("/v1/tools/", { source_code: "def f(): pass", json_schema, tags: ["t"] });
    await make("/v1/archives/", { name: "facts" });
    await make(`/v1/archives/${known.archive?.at(-1)}/passages`, { text: "x", tags: ["t"] });
    await make(`/v1/agents/${known.agent?.at(-1)}/messages/async`, { input: "hello" });
    await make("/v1/messages/batches", { requests: [{ agent_id: known.agent?.at(-1), input: "hello" }] });
    await make("/v1/folders/", { name: `f-${index}` });
    await make("/v1/groups/", { agent_ids: [known.agent?.at(-1)], description: "" });
    await make("/v1/mcp-servers/", { server_name: `m-${index}`, config: mcpServer });
    await make("/v1/sandbox-config/local/default", {});
    const base_url = "http://127.0.0.1:2";
    await make("/v1/providers/", { name: `p-${index}`, provider_type: "openai", api_key: "k", base_url });
  }
  return known;
}

function post(url: string, body: object): Promise<Response> {
  return fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
}

async function inParallel(count: number, work: (number: number) => Promise<void>): Promise<void> {
  let next = 0;
  const worker = async () => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: parallel }, worker));
}

function send(url: string, agent: Agent, odd: OddRequest, tell: () => string): Promise<Answer> {
  const { hostname, port } = new URL(url);
  const { method, path, headers, body } = odd;
  return new Promise((answered, failed) => {
    const isHead = method === "HEAD";
    const outgoing = request({ hostname, port, agent, method, path, headers: { ...headers, ...lengthOf(body) } });
    outgoing.setTimeout(timeoutMs, () => outgoing.destroy(new Error(`seed ${seed}, no answer to ${tell()}`)));
    outgoing.on("response", (incoming) => {
      const parts: Buffer[] = [];
      incoming.on("data", (part: Buffer) => parts.push(part));
      incoming.on("error", failed);
      incoming.on("end", () => {
        const type = isHead ? "" : (incoming.headers["content-type"] ?? "");
        answered({ status: incoming.statusCode ?? 0, type, body: Buffer.concat(parts).toString() });
      });
    });
    // The server may refuse and close before it has read everything; and what refuses headers that are too large does
    // not know yet that a HEAD wants no body.
    outgoing.on("error", (error: NodeJS.ErrnoException) => {
      const isCutOff = ["ECONNRESET", "EPIPE"].includes(error.code ?? "");
      if (isCutOff || (isHead && error.code?.startsWith("HPE_"))) answered({ status: 0, type: "", body: "" });
      else failed(new Error(`seed ${seed}, ${error.message}: ${tell()}`));
    });
    outgoing.end(body);
  });
}

const lengthOf = (body: Buffer | undefined) => (body ? { "content-length": String(body.length) } : {});

/** The statuses of all answers that came back before the server closed the connection. */
function sendBytes(url: string, bytes: Buffer, tell: () => string): Promise<number[]> {
  const { hostname, port } = new URL(url);
  return new Promise((answered, failed) => {
    const parts: Buffer[] = [];
    const socket = connect(Number(port), hostname, () => socket.end(bytes));
    socket.setTimeout(timeoutMs, () => failed(new Error(`seed ${seed}, not closed after ${tell()}`)));
    socket.on("data", (part) => parts.push(part));
    socket.on("error", (error: NodeJS.ErrnoException) => {
      if (!["ECONNRESET", "EPIPE"].includes(error.code ?? "")) failed(error);
    });
    socket.on("close", () => {
      const text = Buffer.concat(parts).toString("latin1");
      answered([...text.matchAll(/^HTTP\/1\.\d (\d{3})/gm)].map((match) => Number(match[1])));
    });
  });
}

function findComplaint({ status, type, body }: Answer): string | undefined {
  // 501 is a refusal too: conversations stream unless they are told not to, which is not there yet.
  if (status >= 500 && status !== 501) return `answered ${status}: ${body.slice(0, 500)}`;
  if (!type.includes("application/json")) return undefined;
  // A 204 names JSON as its type, as the old server does, and has no body.
  if (status === 204) return body === "" ? undefined : `answered 204 with a body: ${body.slice(0, 500)}`;
  let parsed: unknown;
  try {
    parsed = JSON.parse(body);
  } catch {
    return `answered ${status} with JSON that cannot be read: ${body.slice(0, 500)}`;
  }
  // Refusals of a model provider have theirs one level down.
  const { detail, error } = (parsed ?? {}) as { detail?: unknown; error?: { detail?: unknown } };
  const hasDetail = detail !== undefined || error?.detail !== undefined;
  return status >= 400 && !hasDetail ? `answered ${status} without a detail: ${body.slice(0, 500)}` : undefined;
}

function describeRequest({ method, path, headers, body }: OddRequest): string {
  const text = body === undefined ? "no body" : body.toString("latin1");
  const shown = text.length > 3000 ? `${text.slice(0, 1500)} … (${text.length} bytes) … ${text.slice(-500)}` : text;
  return `${method} ${path.slice(0, 1000)}\n${JSON.stringify(headers).slice(0, 1000)}\n${shown}`;
}

async function expectHealthy({ url }: TestServer): Promise<void> {
  for (const path of ["/v1/health/", "/v1/ready/"]) expect((await fetch(url + path)).status).toBe(200);
  expect((await post(`${url}/v1/agents/`, { name: "Survivor", model: demoModel })).status).toBe(200);
  const found = await fetch(`${url}/v1/agents/?name=Survivor`);
  expect((await found.json()) as object[]).toHaveLength(1);
  expect(({} as { admin?: boolean }).admin).toBeUndefined();
}
