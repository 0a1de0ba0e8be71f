/** Passages: notes in an archive and chunks of files, with full-text and vector search. */
import { sql } from "kysely";
import type { JsonObject } from "../../shared/json.ts";
import type { EmbeddingConfig } from "../../shared/model-config.ts";
import { sortedTags } from "../agents/tags.ts";
import { createCodec, json, plain } from "../engine/codec.ts";
import { deleteById, type Entity, findById, insertEntities } from "../engine/entity.ts";
import { listPage, type PageRequest } from "../engine/paging.ts";
import type { Scope } from "../engine/scope.ts";

export interface Passage {
  readonly id: string;
  /** Exactly one of archive and folder is set and owns the passage. */
  readonly archiveId: string | null;
  readonly folderId: string | null;
  readonly fileId: string | null;
  readonly ownerId: string;
  readonly text: string;
  readonly metadata: JsonObject;
  readonly tags: readonly string[] | null;
  /** The embedding configuration; null if not embedded. */
  readonly embedding: EmbeddingConfig | null;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly createdBy: string | null;
  readonly updatedBy: string | null;
}

export const passageEntity: Entity<Passage, "passage"> = {
  table: "passage",
  name: "passage",
  codec: createCodec<Passage>("passage", {
    id: plain("id"),
    archiveId: plain("archive_id"),
    folderId: plain("folder_id"),
    fileId: plain("file_id"),
    ownerId: plain("owner_id"),
    text: plain("body"),
    metadata: json("metadata"),
    tags: json("tags"),
    embedding: json("embedding_config"),
    createdAt: plain("created_at"),
    updatedAt: plain("updated_at"),
    createdBy: plain("created_by"),
    updatedBy: plain("updated_by"),
  }),
};

export type NewPassage = Pick<Passage, "text" | "tags" | "createdBy"> &
  Partial<Pick<Passage, "metadata" | "createdAt">> & { readonly archiveId: string };

/** A note for an archive, with tags deduplicated. */
export function newPassage(scope: Scope, input: NewPassage): Passage {
  const at = scope.now();
  return {
    id: scope.newId("passage"),
    archiveId: input.archiveId,
    folderId: null,
    fileId: null,
    ownerId: input.archiveId,
    text: input.text,
    metadata: input.metadata ?? {},
    tags: input.tags && sortedTags(input.tags),
    embedding: null,
    createdAt: input.createdAt ?? at,
    updatedAt: at,
    createdBy: input.createdBy,
    updatedBy: input.createdBy,
  };
}

export async function insertPassages(scope: Scope, passages: readonly Passage[]): Promise<void> {
  await insertEntities(scope, passageEntity, passages);
  await scope.insertAll(
    "passage_tag",
    passages.flatMap(({ id, ownerId, tags }) =>
      [...new Set(tags)].map((tag) => ({ passage_id: id, owner_id: ownerId, tag })),
    ),
  );
}

export const findPassage = (scope: Scope, id: string): Promise<Passage | undefined> =>
  findById(scope, passageEntity, id);
export const deletePassage = (scope: Scope, id: string): Promise<void> => deleteById(scope, passageEntity, id);

/** Passages of an archive; `search` is a case-insensitive substring. */
export async function listPassages(
  scope: Scope,
  archiveId: string,
  search: string | undefined,
  page: PageRequest,
): Promise<Passage[]> {
  let query = scope.select("passage").where("archive_id", "=", archiveId);
  if (search) {
    query = query.where(scope.flavor.contains(sql.ref("passage.body"), search));
  }
  return await listPage(scope, passageEntity, query, page);
}

/** Vectors take four bytes per dimension. */
export async function sumVectorBytes(scope: Scope): Promise<number> {
  const { numbers } = await scope
    .select("passage_vector")
    .select(sql<number | null>`sum(dimension)`.as("numbers"))
    .executeTakeFirstOrThrow();
  return Number(numbers ?? 0) * 4;
}
