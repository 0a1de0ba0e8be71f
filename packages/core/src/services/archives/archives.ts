/** What callers can do with archives. What is in them is the passages' business. */
import { type Runtime, readScope, write } from "../../runtime.ts";
import type { Actor } from "../../shared/actor.ts";
import { invalidInput } from "../../shared/errors.ts";
import type { EmbeddingConfig } from "../../shared/model-config.ts";
import { omitUndefined } from "../../shared/omit-undefined.ts";
import { getAgent } from "../../store/agents/agents.ts";
import {
  type Archive,
  type ArchiveFilter,
  attachArchive,
  deleteArchive,
  detachArchive,
  getArchive,
  insertArchive,
  listArchives,
  updateArchive,
} from "../../store/archives/archives.ts";
import type { PageRequest } from "../../store/engine/paging.ts";
import type { ModelService } from "../models/models.ts";

export interface NewArchive {
  readonly name: string;
  readonly description?: string | null;
  /** A handle; without one, that of the server, if it has one. */
  readonly embedding?: string;
  /** A whole config of the caller's own; it wins over the handle. */
  readonly embeddingConfig?: EmbeddingConfig;
}

export interface ArchiveUpdate {
  readonly name?: string;
  readonly description?: string;
}

export interface ArchiveService {
  create(actor: Actor, archive: NewArchive): Promise<Archive>;
  get(actor: Actor, id: string): Promise<Archive>;
  list(actor: Actor, filter: ArchiveFilter, page: PageRequest): Promise<Archive[]>;
  update(actor: Actor, id: string, update: ArchiveUpdate): Promise<Archive>;
  /** Takes its passages along. */
  delete(actor: Actor, id: string): Promise<void>;
  /** An agent has one archive: a second one is a conflict, the same again is fine. */
  attach(actor: Actor, id: string, agentId: string): Promise<void>;
  detach(actor: Actor, id: string, agentId: string): Promise<void>;
}

export function createArchiveService(runtime: Runtime, models: Pick<ModelService, "resolveEmbedding">): ArchiveService {
  return {
    create: async (actor, input) => {
      rejectUnnamed(input.name);
      const handle = input.embedding ?? runtime.defaults.embedding;
      const isNamed = input.embeddingConfig === undefined && handle !== undefined;
      const embedding = isNamed ? await models.resolveEmbedding(actor, handle) : (input.embeddingConfig ?? null);
      return await write(runtime, actor, async (scope) => {
        const at = scope.now();
        const archive: Archive = {
          id: scope.newId("archive"),
          name: input.name,
          description: input.description ?? null,
          embedding,
          metadata: null,
          createdAt: at,
          updatedAt: at,
          createdBy: actor.userId,
          updatedBy: actor.userId,
        };
        await insertArchive(scope, archive);
        return archive;
      });
    },
    get: (actor, id) => getArchive(readScope(runtime, actor), id),
    list: async (actor, filter, page) => {
      const scope = readScope(runtime, actor);
      if (filter.agentId !== undefined) await getAgent(scope, filter.agentId);
      return await listArchives(scope, filter, page);
    },
    update: (actor, id, update) =>
      write(runtime, actor, async (scope) => {
        const changes = omitUndefined(update);
        if (changes.name !== undefined) rejectUnnamed(changes.name);
        await updateArchive(scope, id, { ...changes, updatedAt: scope.now(), updatedBy: actor.userId });
        return await getArchive(scope, id);
      }),
    delete: (actor, id) => write(runtime, actor, (scope) => deleteArchive(scope, id)),
    attach: (actor, id, agentId) =>
      write(runtime, actor, async (scope) => {
        await getAgent(scope, agentId);
        await getArchive(scope, id);
        await attachArchive(scope, agentId, id);
      }),
    detach: (actor, id, agentId) =>
      write(runtime, actor, async (scope) => {
        await getAgent(scope, agentId);
        await getArchive(scope, id);
        await detachArchive(scope, agentId, id);
      }),
  };
}

function rejectUnnamed(name: string): void {
  if (name.trim() === "") throw invalidInput("name", "an archive needs a name");
}
