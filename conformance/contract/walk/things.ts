/**
 * One of each object that an operation can name. An id is made when it is first needed, over the API where the API can make
 * one, so that every request of a walk has objects of its own and no request depends on the order of the walk.
 */
import { randomUUID } from "node:crypto";
import { modelKey } from "../../support/model-server.ts";
import { storeFile, storeMcpTool } from "../../support/stored-rows.ts";

export interface Tenant {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly database: string;
  readonly orgId: string;
  /** Stands in every text of the tenant's objects. */
  readonly mark: string;
  /** Where an OpenAI-compatible server lists models for `modelKey`. */
  readonly modelServer: string;
}

// biome-ignore lint/suspicious/noExplicitAny: tests look at answers from outside
type Json = any;
type Ids = Readonly<Record<string, string>>;
/** Answers the id under a name of `makers`, always the same one. */
export type Things = (name: string) => Promise<string>;
type Maker = (things: Things, tenant: Tenant) => Promise<Ids>;

export const isMade = (name: string): boolean => name in makers;

export function createThings(tenant: Tenant): Things {
  const made = new Map<Maker, Promise<Ids>>();
  const things: Things = async (name) => {
    const maker = makers[name];
    if (!maker) throw new Error(`walk/things.ts makes no ${name}`);
    const ids = made.get(maker) ?? maker(things, tenant);
    made.set(maker, ids);
    const id = (await ids)[name];
    if (id === undefined) throw new Error(`the maker of ${name} answered ${JSON.stringify(await ids)}`);
    return id;
  };
  return things;
}

/** Asks as the tenant; anything but a success is a mistake of the test. */
export async function ask({ url, headers }: Tenant, method: string, path: string, body?: object): Promise<Json> {
  const type = body ? { "content-type": "application/json" } : {};
  const answer = await fetch(url + path, {
    method,
    headers: { ...headers, ...type },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
  return text === "" ? undefined : JSON.parse(text);
}

const unique = (word: string) => `${word}-${randomUUID()}`;
/** Answers at once. */
const quick = "openai/gpt-4o-mini";
/** Answers when the walk opens its gate. */
const slow = "anthropic/claude-sonnet-4-5";

const createAgent = async (tenant: Tenant, more: object): Promise<string> => {
  const { mark } = tenant;
  const texts = { name: mark, system: mark, description: mark, tags: [mark] };
  const memory_blocks = [{ label: "human", value: mark }];
  return (await ask(tenant, "POST", "/v1/agents/", { ...texts, memory_blocks, model: quick, ...more })).id;
};

const makeAgent: Maker = async (_, tenant) => ({
  agent_id: await createAgent(tenant, {}),
  block_label: "human",
  tool_name: "memory_insert",
});

const makeRun: Maker = async (things, tenant) => {
  const path = `/v1/agents/${await things("agent_id")}/messages`;
  const { messages } = await ask(tenant, "POST", path, { input: `!say ${tenant.mark}` });
  const { id, step_id, run_id } = messages.at(-1);
  return { message_id: id, step_id, run_id, transaction_id: "walk" };
};

const makeBackgroundRun: Maker = async (things, tenant) => {
  const path = `/v1/agents/${await things("agent_id")}/messages`;
  return { background_run_id: await beginStream(tenant, path, { isWhole: true }) };
};

/** A run that is under way until the gate of the slow models opens. */
const makeBusy: Maker = async (_, tenant) => {
  const agentId = await createAgent(tenant, { model: slow });
  const conversation = await ask(tenant, "POST", `/v1/conversations/?agent_id=${agentId}`, {});
  const path = `/v1/conversations/${conversation.id}/messages`;
  const run = await beginStream(tenant, path, { isWhole: false });
  return { busy_agent_id: agentId, busy_conversation_id: conversation.id, busy_run_id: run };
};

/** Reads a stream to its end, or hangs up once it has named its run. */
async function beginStream(tenant: Tenant, path: string, { isWhole }: { isWhole: boolean }): Promise<string> {
  const leaving = new AbortController();
  const answer = await fetch(tenant.url + path, {
    method: "POST",
    headers: { ...tenant.headers, "content-type": "application/json" },
    body: JSON.stringify({ input: `!say ${tenant.mark}`, streaming: true, background: true }),
    signal: leaving.signal,
  });
  let text = "";
  let run: string | undefined;
  for await (const bytes of answer.body ?? []) {
    text += Buffer.from(bytes).toString();
    run = /run-[0-9a-f]{8}-[0-9a-f-]{27}/.exec(text)?.[0];
    if (run && !isWhole) break;
  }
  leaving.abort();
  if (!run) throw new Error(`POST ${path} began no run: ${answer.status} ${text}`);
  return run;
}

const makeBlock: Maker = async (_, tenant) => {
  const { mark } = tenant;
  const block = await ask(tenant, "POST", "/v1/blocks/", { label: "notes", value: mark, description: mark });
  return { block_id: block.id, version: "1" };
};

const makeArchive: Maker = async (_, tenant) => {
  const { id } = await ask(tenant, "POST", "/v1/archives/", { name: tenant.mark, description: tenant.mark });
  const passage = await ask(tenant, "POST", `/v1/archives/${id}/passages`, { text: tenant.mark });
  return { archive_id: id, passage_id: passage.id };
};

const makeMemory: Maker = async (things, tenant) => {
  const path = `/v1/agents/${await things("agent_id")}/archival-memory`;
  const [passage] = await ask(tenant, "POST", path, { text: tenant.mark });
  return { memory_id: passage.id };
};

const makeFolder: Maker = async (_, tenant) => {
  const name = unique("folder");
  const { id } = await ask(tenant, "POST", "/v1/folders/", { name, description: tenant.mark });
  return { folder_id: id, source_id: id, folder_name: name, source_name: name };
};

const makeFile: Maker = async (things, tenant) => {
  const folder = { id: await things("folder_id"), name: await things("folder_name") };
  return { file_id: await storeFile(tenant.database, folder, "notes.txt", tenant.mark, tenant.orgId) };
};

const makeGroup: Maker = async (things, tenant) => {
  const agent_ids = [await things("agent_id")];
  return { group_id: (await ask(tenant, "POST", "/v1/groups/", { agent_ids, description: tenant.mark })).id };
};

const makeIdentity: Maker = async (_, tenant) => {
  const body = { identifier_key: unique("person"), name: tenant.mark, identity_type: "user" };
  return { identity_id: (await ask(tenant, "POST", "/v1/identities/", body)).id };
};

const makeConversation: Maker = async (things, tenant) => {
  const agentId = await things("agent_id");
  const { id } = await ask(tenant, "POST", `/v1/conversations/?agent_id=${agentId}`, { summary: tenant.mark });
  await ask(tenant, "POST", `/v1/conversations/${id}/messages`, { input: `!say ${tenant.mark}`, streaming: false });
  return { conversation_id: id };
};

const makeProvider: Maker = async (_, tenant) => {
  const base_url = `${tenant.modelServer}/v1`;
  const body = { name: unique("provider"), provider_type: "openai", api_key: modelKey, base_url };
  return { provider_id: (await ask(tenant, "POST", "/v1/providers/", body)).id, model_server: base_url };
};

const makeMcpServer: Maker = async (_, tenant) => {
  const server_name = unique("mcp");
  const config = {
    mcp_server_type: "streamable_http",
    server_url: "https://mcp.example.com/mcp",
    auth_header: "Authorization",
    auth_token: `Bearer ${tenant.mark}`,
  };
  const { id } = await ask(tenant, "POST", "/v1/mcp-servers/", { server_name, config });
  const mcp_tool_id = await storeMcpTool(tenant.database, id, unique("look_up"), tenant.mark, tenant.orgId);
  return { mcp_server_id: id, mcp_server_name: server_name, mcp_tool_name: "look_up", mcp_tool_id };
};

const makeTool: Maker = async (_, tenant) => {
  const name = `tool_${randomUUID().replaceAll("-", "_")}`;
  const json_schema = { name, description: tenant.mark, parameters: { type: "object", properties: {} } };
  const source_code = `def ${name}():\n    """${tenant.mark}"""\n    return 1\n`;
  return { tool_id: (await ask(tenant, "POST", "/v1/tools/", { source_code, json_schema })).id };
};

const makeBatch: Maker = async (things, tenant) => {
  const requests = [{ agent_id: await things("agent_id"), input: `!say ${tenant.mark}` }];
  const { id } = await ask(tenant, "POST", "/v1/messages/batches", { requests });
  return { batch_id: id, job_id: id };
};

/** A batch that is under way until the gate of the slow models opens. */
const makeBusyBatch: Maker = async (_, tenant) => {
  const requests = [{ agent_id: await createAgent(tenant, { model: slow }), input: `!say ${tenant.mark}` }];
  return { busy_job_id: (await ask(tenant, "POST", "/v1/messages/batches", { requests })).id };
};

/** The smallest PNG there is. */
const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

const makeImage: Maker = async (things, tenant) => {
  const path = `/v1/agents/${await things("agent_id")}/messages`;
  const source = { type: "base64", media_type: "image/png", data: pixel };
  const content = [
    { type: "text", text: "!say seen" },
    { type: "image", source },
  ];
  await ask(tenant, "POST", path, { messages: [{ role: "user", content }] });
  const text = JSON.stringify(await ask(tenant, "GET", path));
  return { image_id: /"file_id":"([^"]+)"/.exec(text)?.[1] ?? "" };
};

const makeDeployment: Maker = async (_, tenant) => {
  const deployment_id = unique("deployment");
  const template = { template_id: "t", base_template_id: "b", deployment_id, entity_id: "e" };
  await ask(tenant, "POST", "/v1/_internal_templates/blocks", { ...template, label: "l", value: tenant.mark });
  return { deployment_id };
};

const makeApproval: Maker = async (_, tenant) => {
  const tool_rules = [{ type: "requires_approval", tool_name: "memory_insert" }];
  const agentId = await createAgent(tenant, { tool_rules });
  const input = `!tool memory_insert ${JSON.stringify({ label: "human", new_string: tenant.mark })}\n!say Done.`;
  const { messages } = await ask(tenant, "POST", `/v1/agents/${agentId}/messages`, { input });
  const { id, tool_call } = messages.at(-1);
  return { approval_id: id, tool_call_id: tool_call.tool_call_id };
};

const makeKey: Maker = async (_, tenant) => ({
  key_id: (await ask(tenant, "POST", "/v1/memoir/keys", { name: tenant.mark })).id,
});

const makeSandbox: Maker = async (_, tenant) => {
  const { id } = await ask(tenant, "POST", "/v1/sandbox-config/local/default");
  const variable = { key: unique("KEY"), value: tenant.mark, description: tenant.mark };
  const made = await ask(tenant, "POST", `/v1/sandbox-config/${id}/environment-variable`, variable);
  return { sandbox_config_id: id, environment_variable_id: made.id };
};

const makeUser: Maker = async (_, tenant) => {
  const { id } = await ask(tenant, "POST", "/v1/admin/orgs/", { name: tenant.mark });
  const user = await ask(tenant, "POST", "/v1/admin/users/", { name: tenant.mark, organization_id: id });
  return { org_id: id, user_id: user.id };
};

const makers: Readonly<Record<string, Maker>> = {
  agent_id: makeAgent,
  block_label: makeAgent,
  tool_name: makeAgent,
  message_id: makeRun,
  step_id: makeRun,
  run_id: makeRun,
  transaction_id: makeRun,
  background_run_id: makeBackgroundRun,
  busy_agent_id: makeBusy,
  busy_conversation_id: makeBusy,
  busy_run_id: makeBusy,
  block_id: makeBlock,
  version: makeBlock,
  archive_id: makeArchive,
  passage_id: makeArchive,
  memory_id: makeMemory,
  folder_id: makeFolder,
  source_id: makeFolder,
  folder_name: makeFolder,
  source_name: makeFolder,
  file_id: makeFile,
  group_id: makeGroup,
  identity_id: makeIdentity,
  conversation_id: makeConversation,
  provider_id: makeProvider,
  model_server: makeProvider,
  mcp_server_id: makeMcpServer,
  mcp_server_name: makeMcpServer,
  mcp_tool_name: makeMcpServer,
  mcp_tool_id: makeMcpServer,
  tool_id: makeTool,
  batch_id: makeBatch,
  job_id: makeBatch,
  busy_job_id: makeBusyBatch,
  image_id: makeImage,
  deployment_id: makeDeployment,
  approval_id: makeApproval,
  tool_call_id: makeApproval,
  key_id: makeKey,
  org_id: makeUser,
  user_id: makeUser,
  sandbox_config_id: makeSandbox,
  environment_variable_id: makeSandbox,
};
