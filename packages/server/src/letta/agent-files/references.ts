/** What the parts of an agent file say of each other must hold, or nothing of it is taken in. All faults are named at once. */
import { MemoirError } from "@memoir/core";
import type { AgentInput } from "./agent-schema.ts";
import type { AgentFileInput } from "./file-schema.ts";

const maxFaults = 20;

export function rejectFaults(file: AgentFileInput): void {
  const faults = [...findFaults(file)];
  if (faults.length === 0) return;
  const shown = faults.slice(0, maxFaults).join("; ");
  const rest = faults.length > maxFaults ? `; and ${faults.length - maxFaults} more` : "";
  throw new MemoirError("invalid-argument", `the agent file does not fit together: ${shown}${rest}`, {
    details: { field: "file" },
  });
}

function* findFaults(file: AgentFileInput): Generator<string> {
  const known = new Map<string, Set<string>>();
  for (const [list, prefix] of Object.entries(prefixes)) {
    yield* checkIds(file[list as keyof typeof prefixes], list, prefix, known);
  }
  yield* checkNames(file.tools, "tools", ({ name }) => name);
  yield* checkNames(file.mcp_servers, "mcp_servers", ({ server_name }) => server_name);
  const folderOf = new Map(file.files.map(({ id, source_id }) => [id, source_id]));
  yield* checkNames(file.files, "files", ({ source_id, file_name, id }) => `${source_id} ${file_name ?? id}`);
  for (const [index, { source_id }] of file.files.entries()) {
    yield* expectKnown(known, "sources", source_id, `files[${index}].source_id`);
  }
  const labels = new Map(file.blocks.map(({ id, label }) => [id, label]));
  const around = { known, folderOf, labels, messageIds: new Set<string>() };
  for (const [index, agent] of file.agents.entries()) yield* checkAgent(agent, `agents[${index}]`, around);
  for (const [index, group] of file.groups.entries()) {
    const place = `groups[${index}]`;
    const manager = group.manager_config?.manager_agent_id;
    yield* expectAll(known, "agents", group.agent_ids, `${place}.agent_ids`);
    yield* expectAll(known, "blocks", group.shared_block_ids ?? [], `${place}.shared_block_ids`);
    if (manager !== undefined) {
      yield* expectKnown(known, "agents", manager, `${place}.manager_config.manager_agent_id`);
    }
  }
}

const prefixes = {
  agents: "agent",
  groups: "group",
  blocks: "block",
  files: "file",
  sources: "source",
  tools: "tool",
  mcp_servers: "mcp_server",
} as const;

type Known = Map<string, Set<string>>;

function* checkIds(
  items: readonly { readonly id: string }[],
  list: string,
  prefix: string,
  known: Known,
): Generator<string> {
  const ids = new Set<string>();
  known.set(list, ids);
  for (const [index, { id }] of items.entries()) yield* checkId(id, prefix, `${list}[${index}].id`, ids);
}

function* checkId(id: string, prefix: string, place: string, ids: Set<string>): Generator<string> {
  if (!new RegExp(`^${prefix}-\\d+$`).test(id)) yield `${place} is ${quote(id)}, not ${prefix}- and a number`;
  if (ids.has(id)) yield `${place} ${quote(id)} occurs twice`;
  ids.add(id);
}

function* checkNames<T>(items: readonly T[], list: string, nameOf: (item: T) => string): Generator<string> {
  const names = new Set<string>();
  for (const [index, item] of items.entries()) {
    const name = nameOf(item);
    if (names.has(name)) yield `${list}[${index}] has the name of another one, ${quote(name)}`;
    names.add(name);
  }
}

interface Surroundings {
  readonly known: Known;
  readonly folderOf: ReadonlyMap<string, string>;
  readonly labels: ReadonlyMap<string, string>;
  /** Of all agents so far: their numbers run on. */
  readonly messageIds: Set<string>;
}

function* checkAgent(agent: AgentInput, place: string, around: Surroundings): Generator<string> {
  const { known, labels, messageIds } = around;
  yield* expectAll(known, "tools", agent.tool_ids ?? [], `${place}.tool_ids`);
  yield* expectAll(known, "blocks", agent.block_ids ?? [], `${place}.block_ids`);
  yield* expectAll(known, "groups", agent.group_ids ?? [], `${place}.group_ids`);
  yield* checkNames([...new Set(agent.block_ids)], `${place}.block_ids`, (id) => labels.get(id) ?? id);
  const own = new Set<string>();
  for (const [index, { id, agent_id }] of (agent.messages ?? []).entries()) {
    yield* checkId(id, "message", `${place}.messages[${index}].id`, messageIds);
    own.add(id);
    if (agent_id !== undefined && agent_id !== agent.id) {
      yield `${place}.messages[${index}].agent_id is ${quote(agent_id)}, not ${quote(agent.id)}`;
    }
  }
  const inContext = new Set<string>();
  for (const [index, id] of (agent.in_context_message_ids ?? []).entries()) {
    const where = `${place}.in_context_message_ids[${index}]`;
    if (!own.has(id)) yield `${where} names ${quote(id)}, which is not among the agent's messages`;
    if (inContext.has(id)) yield `${where} ${quote(id)} occurs twice`;
    inContext.add(id);
  }
  yield* checkLinks(agent, place, around);
}

function* checkLinks(agent: AgentInput, place: string, { known, folderOf }: Surroundings): Generator<string> {
  const linked = new Set<string>();
  for (const [index, link] of (agent.files_agents ?? []).entries()) {
    const where = `${place}.files_agents[${index}]`;
    yield* expectKnown(known, "files", link.file_id, `${where}.file_id`);
    yield* expectKnown(known, "sources", link.source_id, `${where}.source_id`);
    const folder = folderOf.get(link.file_id);
    if (folder !== undefined && folder !== link.source_id) {
      yield `${where}.source_id is ${quote(link.source_id)}, but the file is in ${quote(folder)}`;
    }
    if (link.agent_id !== agent.id) yield `${where}.agent_id is ${quote(link.agent_id)}, not ${quote(agent.id)}`;
    if (linked.has(link.file_id)) yield `${where}.file_id ${quote(link.file_id)} occurs twice`;
    linked.add(link.file_id);
  }
}

function* expectAll(known: Known, list: string, ids: readonly string[], place: string): Generator<string> {
  for (const [index, id] of ids.entries()) yield* expectKnown(known, list, id, `${place}[${index}]`);
}

function* expectKnown(known: Known, list: string, id: string, place: string): Generator<string> {
  if (!known.get(list)?.has(id)) yield `${place} names ${quote(id)}, which is not among the file's ${list}`;
}

const longest = 60;

function quote(text: string): string {
  return `"${text.length > longest ? `${text.slice(0, longest)}…` : text}"`.toWellFormed();
}
