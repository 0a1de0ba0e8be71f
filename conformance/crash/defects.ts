/** What every database must hold, whoever wrote to it: no thing half written, no link into nothing. */
import { foldHistories, type Rows } from "./rows.ts";

/** Things half written, in words. */
export function findDefects(rows: Rows): string[] {
  return [...findOrphans(rows), ...findBrokenAgents(rows), ...findBrokenBlocks(rows), ...findBrokenTools(rows)];
}

/** The databases watch their references themselves; this is for a database in which they did not. */
function findOrphans(rows: Rows): string[] {
  const ids = (table: "agent" | "block" | "identity" | "conversation" | "message" | "tool") =>
    new Set(rows[table].map(({ id }) => id));
  const known = {
    agent_id: ids("agent"),
    block_id: ids("block"),
    identity_id: ids("identity"),
    conversation_id: ids("conversation"),
    message_id: ids("message"),
    tool_id: ids("tool"),
    system_message_id: ids("message"),
  };
  return Object.entries(rows).flatMap(([table, list]: [string, Record<string, unknown>[]]) =>
    Object.entries(known).flatMap(([column, there]) =>
      list
        .filter((row) => column in row && !there.has(String(row[column])))
        .map((row) => `${table} has ${column} ${row[column]}, which does not exist: ${JSON.stringify(row)}`),
    ),
  );
}

function findBrokenAgents(rows: Rows): string[] {
  const defaults = Map.groupBy(
    rows.conversation.filter((conversation) => conversation.is_default === 1),
    ({ agent_id }) => agent_id,
  );
  const messages = new Map(rows.message.map((message) => [message.id, message]));
  const tools = Map.groupBy(rows.agent_tool, ({ agent_id }) => agent_id);
  const usual = Math.max(0, ...[...tools.values()].map(({ length }) => length));
  return rows.agent.flatMap(({ id, name }) => {
    const [conversation, ...more] = defaults.get(id) ?? [];
    if (!conversation || more.length > 0) return [`agent ${name} has ${more.length} default conversations too many`];
    const system = messages.get(conversation.system_message_id);
    const isWhole = system?.role === "system" && system.conversation_id === conversation.id && Boolean(system.content);
    const held = tools.get(id)?.length ?? 0;
    return [
      ...(isWhole ? [] : [`agent ${name} has no system message`]),
      ...(held === usual ? [] : [`agent ${name} has ${held} tools, others have ${usual}`]),
    ];
  });
}

function findBrokenBlocks(rows: Rows): string[] {
  const histories = foldHistories(rows);
  const labels = new Map(rows.block.map(({ id, label }) => [id, label]));
  return [
    ...rows.block.flatMap(({ id, label, value, version }) => {
      const history = histories.get(id);
      if (!history?.isWhole || history.texts.length !== version) {
        return [`block ${label} is at version ${version} and has ${history?.texts.length ?? 0} in its history`];
      }
      return history.texts.at(-1) === value ? [] : [`block ${label} differs from its last version`];
    }),
    ...rows.agent_block
      .filter(({ block_id, label }) => labels.get(block_id) !== label)
      .map(({ block_id, label }) => `a link calls block ${labels.get(block_id)} by the label ${label}`),
  ];
}

function findBrokenTools({ tool }: Rows): string[] {
  const names = Map.groupBy(tool, ({ name }) => name);
  return [...names].filter(([, rows]) => rows.length > 1).map(([name]) => `tool ${name} is there more than once`);
}
