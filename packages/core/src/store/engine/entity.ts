/** Reads and writes whole entities by id, for all tables. */
import { sql } from "kysely";
import { MemoirError, notFound } from "../../shared/errors.ts";
import type { Codec } from "./codec.ts";
import { isInList } from "./in-list.ts";
import type { OrgTable } from "./schema.ts";
import type { NewRow, Scope } from "./scope.ts";

/** Binds an entity to its table. */
export interface Entity<E extends { readonly id: string }, T extends OrgTable> {
  readonly table: T;
  /** The entity's name in error messages, as in the glossary. */
  readonly name: string;
  readonly codec: Codec<E>;
}

export async function findById<E extends { readonly id: string }, T extends OrgTable>(
  scope: Scope,
  entity: Entity<E, T>,
  id: string,
): Promise<E | undefined> {
  return (await findByIds(scope, entity, [id]))[0];
}

export async function getById<E extends { readonly id: string }, T extends OrgTable>(
  scope: Scope,
  entity: Entity<E, T>,
  id: string,
): Promise<E> {
  const found = await findById(scope, entity, id);
  if (!found) throw notFound(entity.name, id);
  return found;
}

/** In the order of `ids`; unknown ids are omitted. */
export async function findByIds<E extends { readonly id: string }, T extends OrgTable>(
  scope: Scope,
  entity: Entity<E, T>,
  ids: readonly string[],
): Promise<E[]> {
  if (ids.length === 0) return [];
  const rows = await scope
    .select(entity.table)
    .select(entity.codec.columns.map((column) => sql.ref(column).as(columnName(column))))
    .where(isInList(scope, `${entity.table}.id`, ids))
    .execute();
  const found = new Map(rows.map((row) => entity.codec.decode(row)).map((item) => [item.id, item]));
  return ids.flatMap((id) => found.get(id) ?? []);
}

/** Throws for the first id that is missing. */
export async function getByIds<E extends { readonly id: string }, T extends OrgTable>(
  scope: Scope,
  entity: Entity<E, T>,
  ids: readonly string[],
): Promise<E[]> {
  const found = await findByIds(scope, entity, ids);
  const missing = ids.find((id) => !found.some((item) => item.id === id));
  if (missing !== undefined) throw notFound(entity.name, missing);
  return found;
}

export async function insertEntities<E extends { readonly id: string }, T extends OrgTable>(
  scope: Scope,
  entity: Entity<E, T>,
  items: readonly E[],
): Promise<void> {
  await scope.insertAll(
    entity.table,
    items.map((item) => entity.codec.encode(item) as unknown as NewRow<T>),
  );
}

export async function updateById<E extends { readonly id: string }, T extends OrgTable>(
  scope: Scope,
  entity: Entity<E, T>,
  id: string,
  changes: Partial<E>,
): Promise<void> {
  const row = entity.codec.encode(changes);
  if (Object.keys(row).length === 0) return;
  const { numUpdatedRows } = await scope
    .update(entity.table)
    .set(row as never)
    .where(sql.ref("id"), "=", id)
    .executeTakeFirstOrThrow();
  if (numUpdatedRows === 0n) throw notFound(entity.name, id);
}

export async function deleteById<E extends { readonly id: string }, T extends OrgTable>(
  scope: Scope,
  entity: Entity<E, T>,
  id: string,
): Promise<void> {
  const { numDeletedRows } = await scope.delete(entity.table).where(sql.ref("id"), "=", id).executeTakeFirstOrThrow();
  if (numDeletedRows === 0n) throw notFound(entity.name, id);
}

export function columnName(qualified: string): string {
  return qualified.slice(qualified.indexOf(".") + 1);
}

/** The row changed since it was read; the store retries the transaction from its start. */
export class StaleWriteError extends MemoirError {
  constructor(entity: string, id: string) {
    super("conflict", `${entity} "${id}" changed while it was being written; try again`, { details: { entity, id } });
    this.name = "StaleWriteError";
  }
}
