/** Opens and closes files for an agent. It can have only so many open: the least recently used give way. */
import type { Agent } from "../store/agents/agents.ts";
import { getById } from "../store/engine/entity.ts";
import type { Scope } from "../store/engine/scope.ts";
import {
  closeLinks,
  getFileLink,
  insertFileLinks,
  listOpenFiles,
  listUnlinkedFiles,
  type OpenFile,
  openLink,
} from "../store/files/file-links.ts";
import { fileEntity, loadFileTexts } from "../store/files/files.ts";
import { viewFile } from "./file-view.ts";

export type FileReader = Pick<Agent, "id" | "maxFilesOpen" | "fileViewChars">;

/** New files take the places of old ones, the first of them if not all fit. */
export async function linkFolderFiles(scope: Scope, agent: FileReader, folderIds: readonly string[]): Promise<void> {
  const files = await listUnlinkedFiles(scope, agent.id, folderIds);
  if (files.length === 0) return;
  const opened = files.slice(0, agent.maxFilesOpen);
  const former = await listOpenFiles(scope, agent.id);
  const texts = await loadFileTexts(
    scope,
    opened.map(({ id }) => id),
  );
  const views = new Map(
    opened.map(({ id, mediaType }) => [id, viewFile(texts.get(id) ?? "", mediaType, agent.fileViewChars)]),
  );
  await insertFileLinks(
    scope,
    agent.id,
    files.map(({ id }) => ({ fileId: id, visible: views.get(id) ?? null })),
  );
  await pushOut(scope, former.slice(Math.max(0, agent.maxFilesOpen - opened.length)));
}

/** Names of the files that were closed to make room. */
export async function openFile(scope: Scope, agent: FileReader, fileId: string): Promise<string[]> {
  const link = await getFileLink(scope, agent.id, fileId);
  const { mediaType } = await getById(scope, fileEntity, fileId);
  const text = (await loadFileTexts(scope, [fileId])).get(fileId) ?? "";
  await openLink(scope, link.id, viewFile(text, mediaType, agent.fileViewChars));
  const others = (await listOpenFiles(scope, agent.id)).filter(({ id }) => id !== link.id);
  return await pushOut(scope, others.slice(agent.maxFilesOpen - 1));
}

async function pushOut(scope: Scope, files: readonly OpenFile[]): Promise<string[]> {
  const ids = files.map(({ id }) => id);
  await closeLinks(scope, ids, { forget: true });
  return files.map(({ name }) => name);
}
