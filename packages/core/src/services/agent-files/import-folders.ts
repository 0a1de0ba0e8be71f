/** Folders and files of imported agents: always new ones, with the texts of the files. */
import { randomBytes } from "node:crypto";
import type { Actor } from "../../shared/actor.ts";
import type { EmbeddingConfig } from "../../shared/model-config.ts";
import { findFolderNames } from "../../store/agents/portable-rows.ts";
import type { Scope } from "../../store/engine/scope.ts";
import { insertFile } from "../../store/files/files.ts";
import { insertFolder } from "../../store/files/folders.ts";
import { builtinEmbedding } from "../models/resolve-model.ts";
import type { PortableAgents, PortableFile, PortableFolder } from "./agent-file-format.ts";

type Rows = ReadonlyMap<string, string>;

interface FolderImport {
  /** In place of what the folders come with. */
  readonly embedding: EmbeddingConfig | undefined;
  readonly notes: string[];
}

export async function importFolders(
  scope: Scope,
  actor: Actor,
  { folders, files }: Pick<PortableAgents, "folders" | "files">,
  { embedding, notes }: FolderImport,
): Promise<{ folders: Rows; files: Rows }> {
  const taken = await findFolderNames(
    scope,
    folders.map(({ name }) => name),
  );
  const rows = new Map<string, string>();
  const names = new Map<string, { readonly before: string; readonly after: string }>();
  for (const folder of folders) {
    const name = taken.has(folder.name) ? `${folder.name}_${randomBytes(4).toString("hex")}` : folder.name;
    if (name !== folder.name) notes.push(`a folder named "${folder.name}" exists already: the new one is "${name}"`);
    taken.add(name);
    names.set(folder.id, { before: folder.name, after: name });
    rows.set(folder.id, await importFolder(scope, actor, { ...folder, name }, embedding));
  }
  const fileRows = new Map<string, string>();
  for (const file of files) {
    const folderId = rows.get(file.folderId);
    const renamed = names.get(file.folderId);
    if (folderId === undefined || !renamed) continue;
    const name = renameUnder(file.name, renamed);
    fileRows.set(file.id, await importFile(scope, actor, { ...file, folderId, name }));
  }
  return { folders: rows, files: fileRows };
}

/** The names of a folder's files begin with its own. */
function renameUnder(name: string, { before, after }: { readonly before: string; readonly after: string }): string {
  return name.startsWith(`${before}/`) ? `${after}${name.slice(before.length)}` : name;
}

async function importFolder(
  scope: Scope,
  actor: Actor,
  folder: PortableFolder,
  embedding: EmbeddingConfig | undefined,
): Promise<string> {
  const id = scope.newId("source");
  await insertFolder(scope, {
    id,
    name: folder.name,
    description: folder.description,
    instructions: folder.instructions,
    metadata: folder.metadata,
    embedding: embedding ?? folder.embedding ?? builtinEmbedding(),
    ...stamp(scope, actor),
  });
  return id;
}

/** Its text is there to be read; cutting it into passages for searches is still to be done. */
async function importFile(scope: Scope, actor: Actor, file: PortableFile): Promise<string> {
  const id = scope.newId("file");
  const row = {
    id,
    folderId: file.folderId,
    name: file.name,
    originalName: file.originalName,
    mediaType: file.mediaType,
    size: file.size,
    status: "pending" as const,
    error: null,
    totalChunks: null,
    chunksEmbedded: null,
    contentHash: null,
    sourceCreatedAt: file.sourceCreatedAt,
    sourceUpdatedAt: file.sourceUpdatedAt,
    ...stamp(scope, actor),
  };
  await insertFile(scope, row, file.content);
  return id;
}

function stamp(scope: Scope, { userId }: Actor) {
  const at = scope.now();
  return { createdAt: at, updatedAt: at, createdBy: userId, updatedBy: userId };
}
