/** Which folders an agent may look into. With the first come the tools for reading files; with the last they go. */
import { linkFolderFiles } from "../../memory/open-files.ts";
import type { Agent } from "../../store/agents/agents.ts";
import type { Scope } from "../../store/engine/scope.ts";
import { deleteFileLinks } from "../../store/files/file-links.ts";
import { attachFolders, detachFolder, loadAgentFolders } from "../../store/files/folders.ts";
import { attachTools, detachTools, findToolsByName } from "../../store/tools/tools.ts";
import { builtinTools } from "../../tools/builtin/list.ts";
import { findOrRestoreTools } from "../tools/base-tools.ts";

/** By name. */
export const fileTools: readonly string[] = builtinTools.filter(({ kind }) => kind === "files").map(({ name }) => name);

type Reader = Pick<Agent, "id" | "maxFilesOpen" | "fileViewChars" | "createdBy">;

export async function addAgentFolders(scope: Scope, agent: Reader, folderIds: readonly string[]): Promise<void> {
  if (folderIds.length === 0) return;
  await attachFolders(scope, agent.id, folderIds);
  const tools = await findOrRestoreTools(scope, fileTools, agent.createdBy);
  await attachTools(
    scope,
    agent.id,
    tools.map(({ id }) => id),
  );
  await linkFolderFiles(scope, agent, folderIds);
}

/** Taking away what is not attached changes nothing. */
export async function removeAgentFolder(scope: Scope, agentId: string, folderId: string): Promise<void> {
  await detachFolder(scope, agentId, folderId);
  await deleteFileLinks(scope, agentId, folderId);
  await dropIdleTools(scope, agentId);
}

export async function replaceAgentFolders(scope: Scope, agent: Reader, folderIds: readonly string[]): Promise<void> {
  const attached = (await loadAgentFolders(scope, [agent.id])).get(agent.id) ?? [];
  for (const { id } of attached) {
    if (folderIds.includes(id)) continue;
    await detachFolder(scope, agent.id, id);
    await deleteFileLinks(scope, agent.id, id);
  }
  await addAgentFolders(scope, agent, folderIds);
  if (attached.length > 0) await dropIdleTools(scope, agent.id);
}

/** An agent without folders has no use for them. */
export async function dropIdleTools(scope: Scope, agentId: string): Promise<void> {
  if ((await loadAgentFolders(scope, [agentId])).get(agentId)?.length) return;
  const tools = await findToolsByName(scope, fileTools);
  await detachTools(
    scope,
    agentId,
    tools.map(({ id }) => id),
  );
}
