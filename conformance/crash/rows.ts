/** The rows that crash tests look at, read at one moment. */

/** Runs a statement and answers its rows. */
export type Query = (statement: string) => Promise<Record<string, unknown>[]>;

type Row<Text extends string, Count extends string = never> = Record<Text, string> & Record<Count, number>;

export type Rows = {
  agent: Row<"id" | "name" | "description">[];
  agent_tag: Row<"agent_id" | "tag">[];
  agent_tool: Row<"agent_id" | "tool_id">[];
  agent_block: Row<"agent_id" | "block_id" | "label">[];
  agent_identity: Row<"agent_id" | "identity_id">[];
  block: Row<"id" | "label" | "value", "version">[];
  block_version: Row<"block_id" | "value" | "diff", "version">[];
  identity: Row<"id" | "identifier_key" | "name" | "properties">[];
  conversation: Row<"id" | "agent_id" | "system_message_id", "is_default">[];
  message: Row<"id" | "agent_id" | "conversation_id" | "role" | "content">[];
  context_entry: Row<"conversation_id" | "message_id">[];
  tool: Row<"id" | "name">[];
};

const columns: { [T in keyof Rows]: string } = {
  agent: "id, name, description",
  agent_tag: "agent_id, tag",
  agent_tool: "agent_id, tool_id",
  agent_block: "agent_id, block_id, label",
  agent_identity: "agent_id, identity_id",
  block: "id, label, value, version",
  block_version: "block_id, version, value, diff",
  identity: "id, identifier_key, name, properties",
  conversation: "id, agent_id, is_default, system_message_id",
  message: "id, agent_id, conversation_id, role, content",
  context_entry: "conversation_id, message_id",
  tool: "id, name",
};

/** `query` must see one moment for all statements. */
export async function readRows(query: Query): Promise<Rows> {
  const rows: Record<string, unknown[]> = {};
  for (const [table, names] of Object.entries(columns)) rows[table] = await query(`select ${names} from ${table}`);
  return rows as Rows;
}

/** Every text of every block by its id; whole if the versions are 1, 2, 3 and so on. */
export function foldHistories({ block_version }: Rows): Map<string, { texts: string[]; isWhole: boolean }> {
  const histories = new Map<string, { texts: string[]; isWhole: boolean }>();
  for (const row of block_version.toSorted((one, other) => one.version - other.version)) {
    const history = histories.get(row.block_id) ?? { texts: [], isWhole: true };
    const { at, remove, insert } = JSON.parse(row.diff ?? "{}");
    const lines = history.texts.at(-1)?.split("\n") ?? [];
    history.texts.push(row.value ?? lines.toSpliced(at, remove, ...(insert ?? [])).join("\n"));
    history.isWhole &&= row.version === history.texts.length;
    histories.set(row.block_id, history);
  }
  return histories;
}
