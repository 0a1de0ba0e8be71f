/** The folders attached to an agent with its open and closed files, for the prompt. */
import { groupRows } from "../engine/grouping.ts";
import type { Scope } from "../engine/scope.ts";
import { loadAgentFolders } from "./folders.ts";

export interface DirectoryFile {
  readonly name: string;
  /** The visible part of the file; empty if closed. */
  readonly visible: string;
}

export interface Directory {
  readonly name: string;
  readonly description: string | null;
  readonly instructions: string | null;
  readonly files: readonly DirectoryFile[];
}

/** A single statement for the many agents without folders. */
export async function loadDirectories(scope: Scope, agentId: string): Promise<Directory[]> {
  const folders = (await loadAgentFolders(scope, [agentId])).get(agentId) ?? [];
  if (folders.length === 0) return [];
  const rows = await scope
    .select("agent_file")
    .innerJoin("file", "file.id", "agent_file.file_id")
    .select(["file.folder_id", "file.name", "agent_file.is_open", "agent_file.visible"])
    .where("agent_file.agent_id", "=", agentId)
    .orderBy("file.created_at")
    .orderBy("file.id")
    .execute();
  const files = groupRows(
    rows,
    (row) => row.folder_id,
    (row) => ({ name: row.name, visible: row.is_open === 1 ? (row.visible ?? "") : "" }),
  );
  return folders.map(({ id, name, description, instructions }) => ({
    name,
    description,
    instructions,
    files: files.get(id) ?? [],
  }));
}
