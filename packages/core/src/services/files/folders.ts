/** What callers can do with folders and the files in them. */
import { type Runtime, readScope, write } from "../../runtime.ts";
import type { Actor } from "../../shared/actor.ts";
import { invalidInput } from "../../shared/errors.ts";
import type { JsonObject } from "../../shared/json.ts";
import type { EmbeddingConfig } from "../../shared/model-config.ts";
import { omitUndefined } from "../../shared/omit-undefined.ts";
import { getAgent, lockAgent } from "../../store/agents/agents.ts";
import type { PageRequest } from "../../store/engine/paging.ts";
import type { Scope } from "../../store/engine/scope.ts";
import { type FolderPassage, listFolderPassages } from "../../store/files/file-passages.ts";
import {
  countFileTotals,
  deleteFile,
  type FileRecord,
  type FolderFiles,
  type FolderTotals,
  getFileOfFolder,
  listFiles,
  listFolderFiles,
  loadFileTexts,
  renameFiles,
} from "../../store/files/files.ts";
import {
  countFolders,
  deleteFolder,
  detachToolsWithFolder,
  type Folder,
  getFolder,
  getFolderByName,
  insertFolder,
  listFolderAgentIds,
  listFolders,
  updateFolder,
} from "../../store/files/folders.ts";
import { findToolsByName } from "../../store/tools/tools.ts";
import type { ModelService } from "../models/models.ts";
import { builtinEmbedding, type EmbeddingRequest, resolveEmbedding } from "../models/resolve-model.ts";
import { addAgentFolders, fileTools, removeAgentFolder } from "./agent-folders.ts";

export interface NewFolder extends EmbeddingRequest {
  readonly name: string;
  readonly description?: string | null;
  readonly instructions?: string | null;
  readonly metadata?: JsonObject | null;
}

/** Only what is given changes. */
export interface FolderUpdate {
  readonly name?: string;
  readonly description?: string;
  readonly instructions?: string;
  readonly metadata?: JsonObject;
  readonly embeddingConfig?: EmbeddingConfig;
}

/** A file, the folder it is in, and its text where that was asked for. */
export interface FileView {
  readonly file: FileRecord;
  readonly folder: Folder;
  readonly text: string | null;
}

export interface FolderStats extends FolderTotals {
  /** Each folder with its files, only where asked for. */
  readonly details: readonly FolderFiles[];
}

export interface FolderService {
  create(actor: Actor, folder: NewFolder): Promise<Folder>;
  get(actor: Actor, id: string): Promise<Folder>;
  getByName(actor: Actor, name: string): Promise<Folder>;
  list(actor: Actor, filter: { readonly name?: string }, page: PageRequest): Promise<Folder[]>;
  count(actor: Actor): Promise<number>;
  /** Files are known by the folder's name and their own, so a new name is theirs too. */
  update(actor: Actor, id: string, update: FolderUpdate): Promise<Folder>;
  /** Its files go with it, from every agent that has them open. */
  delete(actor: Actor, id: string): Promise<void>;
  measure(actor: Actor, options?: { readonly withDetails?: boolean }): Promise<FolderStats>;
  listAgentIds(actor: Actor, id: string, page: PageRequest): Promise<string[]>;
  listFiles(actor: Actor, id: string, page: PageRequest, withText?: boolean): Promise<FileView[]>;
  getFile(actor: Actor, id: string, fileId: string, withText?: boolean): Promise<FileView>;
  deleteFile(actor: Actor, id: string, fileId: string): Promise<void>;
  listPassages(actor: Actor, id: string, page: PageRequest): Promise<FolderPassage[]>;
  listOfAgent(actor: Actor, agentId: string, page: PageRequest): Promise<Folder[]>;
  /** Opens as many of its files as the agent may have open. Attaching twice changes nothing. */
  attach(actor: Actor, agentId: string, id: string): Promise<void>;
  detach(actor: Actor, agentId: string, id: string): Promise<void>;
}

export function createFolderService(runtime: Runtime, models: Pick<ModelService, "resolveEmbedding">): FolderService {
  const read = (actor: Actor) => readScope(runtime, actor);
  return {
    create: async (actor, input) => {
      checkName(input.name);
      const handle = input.embedding ?? runtime.defaults.embedding;
      const isNamed = input.embeddingConfig === undefined && handle !== undefined;
      const found = { embedding: isNamed ? await models.resolveEmbedding(actor, handle) : builtinEmbedding() };
      return await write(runtime, actor, async (scope) => {
        const folder = newFolder(scope, actor, input, resolveEmbedding(input, found) ?? found.embedding);
        await insertFolder(scope, folder);
        return folder;
      });
    },
    get: (actor, id) => getFolder(read(actor), id),
    getByName: (actor, name) => getFolderByName(read(actor), name),
    list: (actor, filter, page) => listFolders(read(actor), filter, page),
    count: (actor) => countFolders(read(actor)),
    update: (actor, id, update) => write(runtime, actor, (scope) => applyUpdate(scope, actor, id, update)),
    delete: (actor, id) =>
      write(runtime, actor, async (scope) => {
        const tools = await findToolsByName(scope, fileTools);
        await detachToolsWithFolder(
          scope,
          id,
          tools.map((tool) => tool.id),
        );
        await deleteFolder(scope, id);
      }),
    measure: async (actor, { withDetails = false } = {}) => ({
      ...(await countFileTotals(read(actor))),
      details: withDetails ? await listFolderFiles(read(actor)) : [],
    }),
    listAgentIds: async (actor, id, page) => {
      await getFolder(read(actor), id);
      return await listFolderAgentIds(read(actor), id, page);
    },
    listFiles: async (actor, id, page, withText = false) => {
      const folder = await getFolder(read(actor), id);
      return await viewFiles(read(actor), folder, await listFiles(read(actor), id, page), withText);
    },
    getFile: async (actor, id, fileId, withText = false) => {
      const folder = await getFolder(read(actor), id);
      const file = await getFileOfFolder(read(actor), id, fileId);
      const [view] = await viewFiles(read(actor), folder, [file], withText);
      return view ?? { file, folder, text: null };
    },
    deleteFile: (actor, id, fileId) =>
      write(runtime, actor, async (scope) => {
        await getFolder(scope, id);
        await getFileOfFolder(scope, id, fileId);
        await deleteFile(scope, fileId);
      }),
    listPassages: async (actor, id, page) => {
      await getFolder(read(actor), id);
      return await listFolderPassages(read(actor), id, page);
    },
    listOfAgent: async (actor, agentId, page) => {
      await getAgent(read(actor), agentId);
      return await listFolders(read(actor), { agentId }, page);
    },
    attach: (actor, agentId, id) =>
      write(runtime, actor, async (scope) => {
        await getFolder(scope, id);
        await addAgentFolders(scope, await lockAgent(scope, agentId), [id]);
      }),
    detach: (actor, agentId, id) =>
      write(runtime, actor, async (scope) => {
        await getFolder(scope, id);
        await removeAgentFolder(scope, (await lockAgent(scope, agentId)).id, id);
      }),
  };
}

function newFolder(scope: Scope, actor: Actor, input: NewFolder, embedding: EmbeddingConfig): Folder {
  const at = scope.now();
  return {
    id: scope.newId("source"),
    name: input.name,
    description: input.description ?? null,
    instructions: input.instructions ?? null,
    metadata: input.metadata ?? null,
    embedding,
    createdAt: at,
    updatedAt: at,
    createdBy: actor.userId,
    updatedBy: actor.userId,
  };
}

async function applyUpdate(scope: Scope, actor: Actor, id: string, update: FolderUpdate): Promise<Folder> {
  const { embeddingConfig, ...input } = update;
  if (input.name !== undefined) checkName(input.name);
  const changes = { ...omitUndefined(input), ...(embeddingConfig ? { embedding: embeddingConfig } : {}) };
  const before = await getFolder(scope, id);
  await updateFolder(scope, id, { ...changes, updatedAt: scope.now(), updatedBy: actor.userId });
  if (input.name !== undefined && input.name !== before.name) await renameFiles(scope, id, before.name, input.name);
  return await getFolder(scope, id);
}

function checkName(name: string): void {
  if (name.trim() === "") throw invalidInput("name", "a folder needs a name");
}

async function viewFiles(
  scope: Scope,
  folder: Folder,
  files: readonly FileRecord[],
  withText: boolean,
): Promise<FileView[]> {
  const texts = await loadFileTexts(scope, withText ? files.map(({ id }) => id) : []);
  return files.map((file) => ({ file, folder, text: texts.get(file.id) ?? null }));
}
