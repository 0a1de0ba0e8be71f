/** What tests of agent files share: sending one in, getting one out, and what of it must be the same again. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { hasShared, sharedPath } from "../../packages/core/src/testing/shared.ts";

const folder = sharedPath("agent-files");

/** Real agent files of the old server. */
export const realFiles: readonly string[] = hasShared ? readdirSync(folder).filter((name) => name.endsWith(".af")) : [];

export const readRealFile = (name: string): string => readFileSync(join(folder, name), "utf8");

// biome-ignore lint/suspicious/noExplicitAny: files are looked into at many places, by the names they use
export type Loose = any;

export type ImportFields = Readonly<Record<string, string>>;

export async function postFile(
  url: string,
  text: string | Uint8Array<ArrayBuffer>,
  fields: ImportFields = {},
  headers: Record<string, string> = {},
): Promise<{ status: number; body: Loose }> {
  const form = new FormData();
  form.set("file", new Blob([text]), "agent.af");
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  const answer = await fetch(`${url}/v1/agents/import`, { method: "POST", body: form, headers });
  return { status: answer.status, body: await answer.json() };
}

export async function importFile(url: string, text: string, fields: ImportFields = {}): Promise<string[]> {
  const { status, body } = await postFile(url, text, { append_copy_suffix: "false", ...fields });
  if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`);
  return body.agent_ids;
}

export async function exportFile(url: string, agentId: string, query = ""): Promise<Loose> {
  const answer = await fetch(`${url}/v1/agents/${agentId}/export${query}`);
  if (answer.status !== 200) throw new Error(`${answer.status} ${await answer.text()}`);
  return await answer.json();
}

/** The file as an object, also where its text was written as one JSON string. */
export function parseFile(text: string): Loose {
  const parsed = JSON.parse(text);
  return typeof parsed === "string" ? JSON.parse(parsed) : parsed;
}

/**
 * What a file says, without the ids it says it with: things are named by their names. Only what agents hold is in it, and
 * tool results without the envelopes around them, whose clock is our own.
 */
export function contentOf(file: Loose): Loose {
  const current = file.agents ? file : modernise(file);
  const find = (list: Loose[], id: string) => list.find((item) => item.id === id);
  const agents = current.agents.map((agent: Loose) => contentOfAgent(agent, current));
  const held = new Set(current.agents.flatMap((agent: Loose) => agent.block_ids ?? []));
  const nameOf = (id: string) => find(current.agents, id)?.name;
  return {
    agents,
    blocks: sorted(current.blocks.filter((block: Loose) => held.has(block.id)).map(contentOfBlock)),
    tools: sorted(current.tools.map(contentOfTool)),
    sources: current.sources.map(({ name, description, instructions }: Loose) => ({ name, description, instructions })),
    files: current.files.map((item: Loose) => ({
      name: item.file_name,
      original: item.original_file_name,
      type: item.file_type,
      size: item.file_size,
      content: item.content,
      source: find(current.sources, item.source_id)?.name,
    })),
    groups: current.groups.map((group: Loose) => ({
      description: group.description,
      members: group.agent_ids.map(nameOf),
      manager: { ...group.manager_config, manager_agent_id: nameOf(group.manager_config?.manager_agent_id) },
    })),
  };
}

/** A rule that a file repeats is stored once. */
const distinct = (rules: Loose[]): Loose[] => [...new Map(rules.map((rule) => [JSON.stringify(rule), rule])).values()];

function contentOfAgent(agent: Loose, file: Loose): Loose {
  const names = (list: Loose[], ids: string[] | undefined, key: string) =>
    (ids ?? []).map((id) => list.find((item) => item.id === id)?.[key]);
  const place = new Map((agent.messages ?? []).map((message: Loose, index: number) => [message.id, index]));
  const inContext = (agent.in_context_message_ids ?? []).map((id: string) => agent.messages[place.get(id) as number]);
  return {
    name: agent.name,
    system: agent.system,
    kind: agent.agent_type,
    description: agent.description,
    metadata: agent.metadata ?? null,
    tags: sorted(agent.tags ?? []),
    rules: distinct((agent.tool_rules ?? []).map(contentOfRule)),
    model: dropEmpty({ ...agent.llm_config, display_name: null }),
    embedding: dropEmpty({ batch_size: 32, ...agent.embedding_config }),
    autoclear: agent.message_buffer_autoclear,
    format: agent.response_format ?? null,
    timezone: agent.timezone ?? "UTC",
    tools: sorted(names(file.tools, agent.tool_ids, "name")),
    blocks: names(file.blocks, agent.block_ids, "label"),
    sources: names(file.sources, agent.source_ids, "name"),
    secrets: Object.keys(agent.secrets ?? agent.tool_exec_environment_variables ?? {}).sort(),
    context: inContext.map(contentOfMessage),
    files: (agent.files_agents ?? []).map((link: Loose) => ({
      name: link.file_name,
      isOpen: link.is_open,
      visible: link.visible_content,
      at: Date.parse(link.last_accessed_at),
    })),
  };
}

const micros = (text: string): string => (/[Z+]/.test(text) ? text : `${text}+00:00`).replace("Z", "+00:00");

function contentOfMessage(message: Loose): Loose {
  const isResult = message.role === "tool";
  const text = typeof message.content === "string" ? [{ type: "text", text: message.content }] : message.content;
  const parts = isResult
    ? []
    : (text ?? []).map(({ source, ...part }: Loose) => dropEmpty({ ...part, data: source?.data }));
  const returns = isResult ? resultsOf(message, text) : [];
  return {
    role: message.role,
    parts,
    name: message.name ?? null,
    model: message.model ?? null,
    calls: (message.tool_calls ?? []).map((call: Loose) => [call.id, call.function.name, call.function.arguments]),
    returns,
    at: micros(message.created_at),
  };
}

function resultsOf(message: Loose, parts: Loose[]): Loose[] {
  const known = message.tool_returns?.length ? message.tool_returns : [{}];
  const whole = parts.map(({ text }) => text).join("");
  return known.map((item: Loose) => ({
    call: item.tool_call_id ?? message.tool_call_id,
    ...openEnvelope(item.func_response ?? whole),
    stderr: item.stderr ?? null,
  }));
}

function openEnvelope(text: string): Loose {
  const { status, message } = JSON.parse(text);
  return { status, message: typeof message === "string" ? message : message === null ? "" : JSON.stringify(message) };
}

function contentOfRule({ prompt_template: _, ...rule }: Loose): Loose {
  return dropEmpty(rule);
}

const neutralBlock = { project_id: 0, template_id: 0, base_template_id: 0, deployment_id: 0, entity_id: 0, id: 0 };

function contentOfBlock(block: Loose): Loose {
  const own = Object.entries(block).filter(([key]) => !(key in neutralBlock));
  return dropEmpty(Object.fromEntries(own));
}

/** Tools that come with the program are described by it. */
function contentOfTool(tool: Loose): Loose {
  if (tool.tool_type.startsWith("letta_")) return { name: tool.name, type: tool.tool_type };
  return dropEmpty({
    name: tool.name,
    type: tool.tool_type,
    description: tool.description,
    source: tool.source_code,
    sourceType: tool.source_type,
    schema: tool.json_schema,
    args: tool.args_json_schema,
    tags: tool.tags,
    limit: tool.return_char_limit,
    metadata: tool.metadata_,
  });
}

/** Fields that are empty may be left out by one version and written by another. */
function dropEmpty(value: Loose): Loose {
  if (value === null || value === undefined) return null;
  const kept = Object.entries(value as object).filter(
    ([, item]) => item !== null && item !== undefined && item !== false && JSON.stringify(item) !== "{}",
  );
  return Object.fromEntries(kept);
}

function sorted(items: Loose[]): Loose[] {
  const keyOf = (item: Loose) => (typeof item === "string" ? item : `${item.name ?? item.label} ${item.value}`);
  return items.toSorted((left, right) => (keyOf(left) < keyOf(right) ? -1 : 1));
}

/** The older format in the words of the current one. */
function modernise(file: Loose): Loose {
  const number = (prefix: string) => (item: Loose, index: number) => ({ ...item, id: `${prefix}-${index}` });
  const blocks = file.core_memory.map(number("block")).map(({ metadata_, created_at, updated_at, ...rest }: Loose) => ({
    ...rest,
    metadata: metadata_,
  }));
  const tools = file.tools.map(number("tool"));
  return {
    agents: [
      {
        ...file,
        metadata: file.metadata_,
        tags: file.tags.map(({ tag }: Loose) => tag),
        messages: file.messages.map(number("message")),
        in_context_message_ids: file.in_context_message_indices.map((index: number) => `message-${index}`),
        tool_ids: tools.map(({ id }: Loose) => id),
        block_ids: blocks.map(({ id }: Loose) => id),
        secrets: Object.fromEntries(file.tool_exec_environment_variables.map(({ key }: Loose) => [key, ""])),
      },
    ],
    groups: [],
    files: [],
    sources: [],
    blocks,
    tools,
  };
}
