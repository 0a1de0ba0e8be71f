/**
 * Walks the contract: every operation of the old server's API is routed, and whatever it answers has a listed status and,
 * where it succeeds, the listed shape. Operations go from looking to making to changing to deleting, so that there is
 * something to look at.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import { expect, test } from "vitest";
import { dialects } from "../packages/core/src/testing/databases.ts";
import { answerSchemas, bodies, notServed, queries } from "./contract-requests.ts";
import { startServer } from "./server.ts";

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly items?: Schema;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly default?: unknown;
}

interface Operation {
  readonly operationId: string;
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, { schema: Schema }>> }>>;
}

interface Contract {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

/** The recorded answers have fields that the contract does not name, so more than it names is allowed. */
const contract = JSON.parse(
  readFileSync(join(import.meta.dirname, "contract", "openapi.json"), "utf8").replaceAll(
    ',"additionalProperties":false',
    "",
  ),
) as Contract;

const order = ["get", "post", "put", "patch", "delete"];

const operations = Object.entries(contract.paths)
  .flatMap(([path, methods]) => Object.entries(methods).map(([method, operation]) => ({ path, method, operation })))
  .filter(({ method }) => order.includes(method))
  // What is deleted last can be used before; agents go after all that belongs to them.
  .sort((left, right) => rank(left) - rank(right));

function rank({ path, method }: { path: string; method: string }): number {
  const isWhole = method === "delete" && /^\/v1\/(agents|conversations)\/\{\w+\}$/.test(path);
  return order.indexOf(method) + (isWhole ? 1 : 0);
}

/** What any operation may answer, whatever the contract says of it. */
const usualStatuses = [400, 402, 404, 405, 409, 410, 415, 422, 501, 502, 503];

const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true });
ajv.addSchema({ $id: "contract", components: contract.components });

function validate(schema: Schema, value: unknown): string | undefined {
  const local = JSON.parse(JSON.stringify(schema).replaceAll('"#/components/', '"contract#/components/')) as object;
  if (ajv.validate(local, value)) return undefined;
  return ajv.errorsText(ajv.errors?.slice(0, 3), { dataVar: "answer" });
}

/** The least that fits a schema. */
function sample(schema: Schema, depth = 0): unknown {
  const { $ref, anyOf, oneOf, type, properties = {}, required = [], items } = schema;
  if ($ref) return sample(contract.components.schemas[$ref.split("/").at(-1) ?? ""] ?? {}, depth);
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return schema.enum[0];
  const choice = (anyOf ?? oneOf)?.find(({ type: kind }) => kind !== "null");
  if (choice) return sample(choice, depth);
  switch (Array.isArray(type) ? type[0] : type) {
    case "string":
      return "walk";
    case "integer":
    case "number":
      return 1;
    case "boolean":
      return false;
    case "array":
      return depth > 3 || !items ? [] : [sample(items, depth + 1)];
    default:
      return Object.fromEntries(
        Object.entries(properties)
          .filter(([name]) => required.includes(name))
          .map(([name, property]) => [name, sample(property, depth + 1)]),
      );
  }
}

test.for(dialects)(
  "%s: every operation of the contract is served as it says",
  { timeout: 300_000 },
  async (dialect, context) => {
    const { url, memoir, errors } = await startServer(dialect, context);
    const ids = await makeThings(url);
    const problems: string[] = [];
    let succeeded = 0;
    for (const { path, method, operation } of operations) {
      const name = `${method.toUpperCase()} ${path}`;
      if (notServed.has(name)) continue;
      const fill = (text: string) => text.replaceAll(/\{(\w+)\}/g, (_, key: string) => ids[key] ?? key);
      const body = method === "get" ? undefined : bodyOf(name, operation, ids);
      const answer = await fetch(`${url}${fill(path)}${queries[name] ? `?${fill(queries[name])}` : ""}`, {
        method: method.toUpperCase(),
        ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { "content-type": "application/json" } }),
      });
      const text = await answer.text();
      const note = (problem: string) => problems.push(`${name}: ${answer.status} ${problem}: ${text.slice(0, 300)}`);
      // What is routed and refused says why in words of its own.
      if (/^\{"detail":"(Not Found|Method Not Allowed)"\}$/.test(text)) note("is not routed");
      const listed = Object.keys(operation.responses).map(Number);
      if (![...listed, ...usualStatuses].includes(answer.status)) note("is not a listed status");
      if (answer.status >= 300) continue;
      succeeded++;
      const schema = answerSchemas[name] ?? operation.responses[answer.status]?.content?.["application/json"]?.schema;
      if (!schema || answer.status === 204) continue;
      const fault = validate(schema, JSON.parse(text));
      if (fault) note(`breaks its schema: ${fault}`);
    }
    expect(problems).toEqual([]);
    expect(errors).toEqual([]);
    // Most operations are seen to work, not only to refuse.
    expect(succeeded).toBeGreaterThan(operations.length * 0.6);
    await memoir.ping();
  },
);

function bodyOf(name: string, { requestBody }: Operation, ids: Readonly<Record<string, string>>): unknown {
  const given = bodies[name];
  if (given) return given(ids);
  const schema = requestBody?.content["application/json"]?.schema;
  return schema ? sample(schema) : undefined;
}

/** One of each thing that an operation can name, made over the API itself where that is possible. */
async function makeThings(url: string): Promise<Record<string, string>> {
  const post = async (path: string, body: object): Promise<Record<string, unknown>> => {
    const answer = await fetch(`${url}${path}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    return (await answer.json()) as Record<string, unknown>;
  };
  const agent = await post("/v1/agents/", {
    model: "memoir/demo",
    memory_blocks: [{ label: "human", value: "Name: Ada" }],
    tags: ["walk"],
  });
  const id = String(agent.id);
  const sent = await post(`/v1/agents/${id}/messages`, { input: "hello" });
  const [message] = (sent.messages ?? []) as { id: string; step_id: string; run_id: string }[];
  const block = await post("/v1/blocks/", { label: "walk", value: "v" });
  const archive = await post("/v1/archives/", { name: "walk" });
  const passage = await post(`/v1/archives/${archive.id}/passages`, { text: "walk" });
  const folder = await post("/v1/folders/", { name: "walk" });
  const group = await post("/v1/groups/", { agent_ids: [id], description: "walk" });
  const identity = await post("/v1/identities/", { identifier_key: "walk", name: "walk", identity_type: "user" });
  const conversation = await post(`/v1/conversations/?agent_id=${id}`, {});
  const provider = await post("/v1/providers/", { name: "walk", provider_type: "openai", api_key: "k" });
  const server = await post("/v1/mcp-servers/", {
    server_name: "walk",
    config: { mcp_server_type: "streamable_http", server_url: "https://mcp.example.com/mcp" },
  });
  const tools = (await (await fetch(`${url}/v1/tools/?name=memory_insert`)).json()) as { id: string }[];
  return {
    agent_id: id,
    block_id: String(block.id),
    block_label: "human",
    archive_id: String(archive.id),
    passage_id: String(passage.id),
    memory_id: String(passage.id),
    folder_id: String(folder.id),
    source_id: String(folder.id),
    folder_name: "walk",
    source_name: "walk",
    group_id: String(group.id),
    identity_id: String(identity.id),
    conversation_id: String(conversation.id),
    provider_id: String(provider.id),
    mcp_server_id: String(server.id),
    mcp_server_name: "walk",
    mcp_tool_name: "walk",
    tool_name: "memory_insert",
    tool_id: String(tools[0]?.id),
    message_id: String(message?.id),
    step_id: String(message?.step_id),
    run_id: String(message?.run_id),
    file_id: "file-00000000-0000-4000-8000-00000000dead",
    batch_id: "job-00000000-0000-4000-8000-00000000dead",
    job_id: "job-00000000-0000-4000-8000-00000000dead",
    deployment_id: "walk",
  };
}
