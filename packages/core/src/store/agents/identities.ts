/** Identities: people, organizations and things that agents and blocks belong to, with external keys. */
import { sql } from "kysely";
import { MemoirError } from "../../shared/errors.ts";
import type { JsonObject } from "../../shared/json.ts";
import { createCodec, json, plain } from "../engine/codec.ts";
import { isUniqueViolation } from "../engine/constraint-errors.ts";
import { deleteById, type Entity, getById, getByIds, insertEntities, updateById } from "../engine/entity.ts";
import { groupRows } from "../engine/grouping.ts";
import { isInList } from "../engine/in-list.ts";
import { countRows, listPage, type PageRequest } from "../engine/paging.ts";
import type { Scope } from "../engine/scope.ts";

export type IdentityKind = "org" | "user" | "other";

export interface IdentityProperty {
  readonly key: string;
  readonly value: string | number | boolean | JsonObject;
  readonly type: "string" | "number" | "boolean" | "json";
}

export interface Identity {
  readonly id: string;
  readonly identifierKey: string;
  readonly name: string;
  readonly kind: IdentityKind;
  readonly projectId: string | null;
  readonly properties: readonly IdentityProperty[];
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly createdBy: string | null;
  readonly updatedBy: string | null;
}

export const identityEntity: Entity<Identity, "identity"> = {
  table: "identity",
  name: "identity",
  codec: createCodec<Identity>("identity", {
    id: plain("id"),
    identifierKey: plain("identifier_key"),
    name: plain("name"),
    kind: plain("kind"),
    projectId: plain("project_id"),
    properties: json("properties"),
    createdAt: plain("created_at"),
    updatedAt: plain("updated_at"),
    createdBy: plain("created_by"),
    updatedBy: plain("updated_by"),
  }),
};

export const getIdentity = (scope: Scope, id: string): Promise<Identity> => getById(scope, identityEntity, id);
export const getIdentities = (scope: Scope, ids: readonly string[]): Promise<Identity[]> =>
  getByIds(scope, identityEntity, ids);
export const deleteIdentity = (scope: Scope, id: string): Promise<void> => deleteById(scope, identityEntity, id);

/** Reads the identity and locks its row until the transaction ends. */
export async function lockIdentity(scope: Scope, id: string): Promise<Identity> {
  await updateById(scope, identityEntity, id, { updatedAt: scope.now() });
  return await getIdentity(scope, id);
}

export async function insertIdentity(scope: Scope, identity: Identity): Promise<void> {
  await rejectTakenKey(identity, () => insertEntities(scope, identityEntity, [identity]));
}

export async function updateIdentity(scope: Scope, identity: Identity): Promise<void> {
  await rejectTakenKey(identity, () => updateById(scope, identityEntity, identity.id, identity));
}

async function rejectTakenKey(identity: Identity, write: () => Promise<void>): Promise<void> {
  try {
    await write();
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    throw new MemoirError("conflict", `an identity with the key "${identity.identifierKey}" exists already`, {
      details: { entity: "identity", field: "identifier_key" },
      cause: error,
    });
  }
}

export async function findIdentityByKey(
  scope: Scope,
  identifierKey: string,
  projectId: string | null,
): Promise<Identity | undefined> {
  const row = await scope
    .select("identity")
    .selectAll("identity")
    .where("identifier_key", "=", identifierKey)
    .where(sql`coalesce(project_id, '')`, "=", projectId ?? "")
    .executeTakeFirst();
  return row && identityEntity.codec.decode(row);
}

export interface IdentityFilter {
  readonly name?: string;
  readonly identifierKey?: string;
  readonly kind?: IdentityKind;
  readonly projectId?: string;
}

function filterIdentities(scope: Scope, filter: IdentityFilter) {
  let query = scope.select("identity");
  if (filter.name) {
    query = query.where(scope.flavor.contains(sql.ref("identity.name"), filter.name));
  }
  if (filter.identifierKey !== undefined) query = query.where("identifier_key", "=", filter.identifierKey);
  if (filter.kind !== undefined) query = query.where("kind", "=", filter.kind);
  if (filter.projectId !== undefined) query = query.where("project_id", "=", filter.projectId);
  return query;
}

export async function listIdentities(scope: Scope, filter: IdentityFilter, page: PageRequest): Promise<Identity[]> {
  return await listPage(scope, identityEntity, filterIdentities(scope, filter), page);
}

export async function countIdentities(scope: Scope, filter: IdentityFilter): Promise<number> {
  return await countRows(filterIdentities(scope, filter));
}

export type IdentityOwner = "agent" | "block";

const links = {
  agent: { table: "agent_identity", owner: "agent_id" },
  block: { table: "block_identity", owner: "block_id" },
} as const;

/** Both link tables have the same shape; the types follow one of them. */
const linkOf = (kind: IdentityOwner) => links[kind] as (typeof links)["agent"];

/** Links identities to an agent or block; existing links stay. */
export async function linkIdentities(
  scope: Scope,
  kind: IdentityOwner,
  pairs: readonly { readonly ownerId: string; readonly identityId: string }[],
): Promise<void> {
  if (pairs.length === 0) return;
  const { table, owner } = linkOf(kind);
  const rows = pairs.map(({ ownerId, identityId }) => ({ [owner]: ownerId, identity_id: identityId }));
  await scope
    .insert(table, rows as never[])
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Removes links between these owners and identities; an undefined side matches all. */
export async function unlinkIdentities(
  scope: Scope,
  kind: IdentityOwner,
  link: { readonly ownerId?: string; readonly identityId?: string },
): Promise<void> {
  const { table, owner } = linkOf(kind);
  let query = scope.delete(table);
  if (link.ownerId !== undefined) query = query.where(sql.ref(owner), "=", link.ownerId);
  if (link.identityId !== undefined) query = query.where("identity_id", "=", link.identityId);
  await query.execute();
}

export async function loadIdentities(
  scope: Scope,
  kind: IdentityOwner,
  ownerIds: readonly string[],
): Promise<Map<string, Identity[]>> {
  if (ownerIds.length === 0) return new Map();
  const { table, owner } = linkOf(kind);
  const rows = await scope
    .select("identity")
    .innerJoin(table, `${table}.identity_id`, "identity.id")
    .selectAll("identity")
    .select(sql.ref<string>(`${table}.${owner}`).as("owner"))
    .where(isInList(scope, `${table}.${owner}`, ownerIds))
    .orderBy("identity.created_at")
    .orderBy("identity.id")
    .execute();
  return groupRows(rows, (row) => row.owner, identityEntity.codec.decode);
}

/** A subquery for the owners linked to the identity with this id, or to one with these keys. */
export function selectLinked(
  scope: Scope,
  kind: IdentityOwner,
  identity: { readonly id?: string; readonly keys?: readonly string[] },
) {
  const { table, owner } = linkOf(kind);
  let query = scope
    .select("identity")
    .innerJoin(table, `${table}.identity_id`, "identity.id")
    .select(sql.ref<string>(`${table}.${owner}`).as("owner"));
  if (identity.id !== undefined) query = query.where("identity.id", "=", identity.id);
  if (identity.keys !== undefined) query = query.where("identity.identifier_key", "in", [...identity.keys]);
  return query;
}
