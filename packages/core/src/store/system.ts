/** Queries across organizations: the organizations themselves, logins, background jobs and maintenance. */
import { sql } from "kysely";
import { defaultOrgId, defaultUserId } from "../shared/ids.ts";
import { type ApiKey, keyEntity } from "./access/keys.ts";
import { type StoredSecret, toSecret } from "./access/secrets.ts";
import type { Durability } from "./engine/dialects/node-sqlite.ts";
import type { MemoirMigrationTable } from "./engine/schema.ts";
import type { Store } from "./engine/store.ts";
import { type OutboxItem, outboxEntity } from "./runs/outbox.ts";

export interface User {
  readonly id: string;
  readonly orgId: string;
  readonly name: string;
}

/** Creates the default organization and user of a server without logins. */
export async function ensureDefaults(store: Store): Promise<void> {
  const at = store.now();
  await store.unscoped
    .insertInto("organization")
    .values({ id: defaultOrgId, name: "default_org", base_tools_key: null, created_at: at, updated_at: at })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  await store.unscoped
    .insertInto("user")
    .values({
      id: defaultUserId,
      org_id: defaultOrgId,
      name: "default_user",
      role: "owner",
      created_at: at,
      updated_at: at,
    })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

export async function findUser(store: Store, id: string): Promise<User | undefined> {
  return await store.unscoped
    .selectFrom("user")
    .select(["id", "org_id as orgId", "name"])
    .where("id", "=", id)
    .executeTakeFirst();
}

/** Organizations whose base tools have another key, or that lack one of the names. */
export async function listOrgsWithOtherTools(store: Store, key: string, names: readonly string[]): Promise<string[]> {
  const rows = await store.unscoped
    .selectFrom("organization")
    .select("organization.id")
    .where(({ eb, or, selectFrom, fn }) => {
      const held = selectFrom("tool")
        .select(fn.countAll().as("held"))
        .whereRef("tool.org_id", "=", "organization.id")
        .where("tool.name", "in", names);
      return or([eb(sql`coalesce(base_tools_key, '')`, "<>", key), eb(held, "<", names.length)]);
    })
    .execute();
  return rows.map(({ id }) => id);
}

export async function markBaseTools(store: Store, orgId: string, key: string): Promise<void> {
  await store.unscoped.updateTable("organization").set({ base_tools_key: key }).where("id", "=", orgId).execute();
}

/** The oldest user of an organization. */
export async function findFirstUserId(store: Store, orgId: string): Promise<string | undefined> {
  const users = store.unscoped.selectFrom("user").select("id").where("org_id", "=", orgId);
  return (await users.orderBy("created_at").orderBy("id").limit(1).executeTakeFirst())?.id;
}

/** Resolves when the database responds. */
export async function ping(store: Store): Promise<void> {
  await sql`select 1`.execute(store.unscoped);
}

/** The smallest possible write, for the readiness check. */
export async function touchDefaults(store: Store): Promise<void> {
  await store.writeUnscoped(async (db) => {
    await db
      .updateTable("organization")
      .set({ updated_at: sql<number>`updated_at` })
      .where("id", "=", defaultOrgId)
      .execute();
  });
}

export interface DatabaseFacts {
  readonly version: string;
  readonly revision: string | undefined;
  /** A sentence about what a crash or power cut may lose. */
  readonly durability: string;
  readonly problems: string[];
}

/** In order; empty for a database without Memoir's tables. */
export async function listRecordedMigrations(store: Store): Promise<MemoirMigrationTable[]> {
  const tables = await store.unscoped.introspection.getTables();
  if (!tables.some(({ name }) => name === "memoir_migration")) return [];
  return await store.unscoped.selectFrom("memoir_migration").selectAll().orderBy("name").execute();
}

/** `durability` is the server's setting, because SQLite does not store it in the file. */
export async function inspectDatabase(
  store: Store,
  revision: string | undefined,
  durability: Durability,
): Promise<DatabaseFacts> {
  const db = store.unscoped;
  if (store.flavor.name === "sqlite") {
    const version = await sql<{ version: string }>`select sqlite_version() as version`.execute(db);
    const journal = await sql<{ journal_mode: string }>`pragma journal_mode`.execute(db);
    const check = await sql<{ quick_check: string }>`pragma quick_check`.execute(db);
    const problems = check.rows.map((row) => row.quick_check).filter((line) => line !== "ok");
    return {
      version: `SQLite ${version.rows[0]?.version}`,
      revision,
      durability: `journal ${journal.rows[0]?.journal_mode}; ${
        durability === "full"
          ? "synchronous full: survives a power cut"
          : "synchronous normal: a power cut may cost the last commits"
      }`,
      problems,
    };
  }
  const version = await sql<{ server_version: string }>`show server_version`.execute(db);
  const commit = await sql<{ synchronous_commit: string }>`show synchronous_commit`.execute(db);
  const fsync = await sql<{ fsync: string }>`show fsync`.execute(db);
  const problems =
    fsync.rows[0]?.fsync === "on" ? [] : ["fsync is off: a crash of the machine may destroy the database"];
  return {
    version: `PostgreSQL ${version.rows[0]?.server_version}`,
    revision,
    durability: `synchronous_commit ${commit.rows[0]?.synchronous_commit}, fsync ${fsync.rows[0]?.fsync}`,
    problems,
  };
}

/** Conversations of all organizations with open runs; those with most takeovers come last. */
export async function listWaitingConversations(
  store: Store,
): Promise<{ readonly orgId: string; readonly conversationId: string; readonly takeovers: number }[]> {
  return await store.unscoped
    .selectFrom("run")
    .select(["org_id as orgId", "conversation_id as conversationId"])
    .select((eb) => eb.fn.max("takeovers").as("takeovers"))
    .where("ended_at", "is", null)
    .groupBy(["org_id", "conversation_id"])
    .orderBy("takeovers")
    .execute();
}

/** Conversations with a queued run but neither an active run nor a pending approval. */
export async function listStalledConversations(
  store: Store,
): Promise<{ readonly orgId: string; readonly conversationId: string }[]> {
  return await store.unscoped
    .selectFrom("run")
    .select(["org_id as orgId", "conversation_id as conversationId"])
    .where("ended_at", "is", null)
    .where("conversation_id", "not in", (eb) =>
      eb.selectFrom("approval").select("approval.conversation_id").where("approval.ended_at", "is", null),
    )
    .groupBy(["org_id", "conversation_id"])
    .having(sql`max(case when status = 'created' then 0 else 1 end)`, "=", 0)
    .execute();
}

/** Organizations with traces or idempotency keys from before `before`. */
export async function listOrgsWithOld(
  store: Store,
  table: "trace" | "idempotency_key",
  before: number,
): Promise<string[]> {
  const old = store.unscoped.selectFrom(table).select("org_id").where("created_at", "<", before);
  const rows = await old.orderBy("created_at").limit(1_000).execute();
  return [...new Set(rows.map((row) => row.org_id))];
}

/** Organizations with expired approvals. */
export async function listOrgsWithExpiredApprovals(store: Store): Promise<string[]> {
  const rows = await store.unscoped
    .selectFrom("approval")
    .select("org_id")
    .where("ended_at", "is", null)
    .where("expires_at", "<=", store.due())
    .distinct()
    .limit(1_000)
    .execute();
  return rows.map((row) => row.org_id);
}

/** Organizations with deltas from before `before`, of runs that had ended by then. */
export async function listOrgsWithOldDeltas(store: Store, before: number): Promise<string[]> {
  const rows = await store.unscoped
    .selectFrom("run_event")
    .innerJoin("run", "run.id", "run_event.run_id")
    .select("run_event.org_id")
    .where("run_event.type", "=", "delta")
    .where("run_event.created_at", "<", before)
    .where("run.ended_at", "<", before)
    .limit(1_000)
    .execute();
  return [...new Set(rows.map((row) => row.org_id))];
}

/** Ids of the keys that the stored secrets are encrypted with. */
export async function listSecretKeyIds(store: Store): Promise<string[]> {
  const rows = await store.unscoped.selectFrom("secret").select("key_id").distinct().execute();
  return rows.map((row) => row.key_id);
}

/** Secrets of all organizations that are encrypted with another key, from the row after `after`. */
export async function listSecretsOfOtherKeys(
  store: Store,
  keyId: string,
  after: string,
  limit: number,
): Promise<{ readonly orgId: string; readonly secret: StoredSecret }[]> {
  const rows = await store.unscoped
    .selectFrom("secret")
    .selectAll()
    .where("key_id", "<>", keyId)
    .where("id", ">", after)
    .orderBy("id")
    .limit(limit)
    .execute();
  return rows.map((row) => ({ orgId: row.org_id, secret: toSecret(row) }));
}

/** Agents by id, else by name, in all organizations. */
export async function findAgentPlaces(
  store: Store,
  idOrName: string,
): Promise<{ readonly orgId: string; readonly agentId: string }[]> {
  const agents = store.unscoped.selectFrom("agent").select(["org_id as orgId", "id as agentId"]).orderBy("created_at");
  const exact = await agents.where("id", "=", idOrName).execute();
  return exact.length > 0 ? exact : await agents.where("name", "=", idOrName).limit(20).execute();
}

/** Finds the owner of an API key, before the organization is known. */
export async function findKeyByHash(
  store: Store,
  hash: string,
): Promise<{ readonly orgId: string; readonly key: ApiKey } | undefined> {
  const row = await store.unscoped.selectFrom("api_key").selectAll().where("hash", "=", hash).executeTakeFirst();
  return row && { orgId: row.org_id, key: keyEntity.codec.decode(row) };
}

export async function hasKeys(store: Store): Promise<boolean> {
  const row = await store.unscoped
    .selectFrom("api_key")
    .select("id")
    .where("revoked_at", "is", null)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** Due items of all organizations, oldest first. */
export async function listDueOutbox(
  store: Store,
  before: number,
  limit: number,
): Promise<{ readonly orgId: string; readonly item: OutboxItem }[]> {
  const rows = await store.unscoped
    .selectFrom("outbox")
    .selectAll()
    .where("sent_at", "is", null)
    .where("due_at", "<=", before)
    .orderBy("due_at")
    .limit(limit)
    .execute();
  return rows.map((row) => ({ orgId: row.org_id, item: outboxEntity.codec.decode(row) }));
}

/**
 * At start: makes items due that a crashed process had claimed, or that were postponed by a clock that has since been
 * set back; their attempts are unchanged.
 */
export async function reclaimOutbox(store: Store, maxDelayMs: number): Promise<void> {
  const at = store.due();
  await store.writeUnscoped(async (db) => {
    await db
      .updateTable("outbox")
      .set({ due_at: at, claimed_until: null })
      .where((eb) => eb.or([eb("claimed_until", "is not", null), eb("due_at", ">", at + maxDelayMs * 1000)]))
      .execute();
  });
}

/** Restarts the expiry of approvals whose time was set by a clock that has since been set back. */
export async function repairApprovalExpiries(store: Store): Promise<void> {
  const at = store.due();
  await store.writeUnscoped(async (db) => {
    await db
      .updateTable("approval")
      .set({ expires_at: sql<number>`${at} + expires_at - created_at` })
      .where("ended_at", "is", null)
      .where("created_at", ">", at)
      .execute();
  });
}

export interface Organization {
  readonly id: string;
  readonly name: string;
  readonly createdAt: number;
}

export interface StoredUser extends User {
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** Oldest first, from the row after the cursor. */
export interface TenantPage {
  readonly limit: number;
  readonly after?: string;
}

const orgColumns = ["id", "name", "created_at as createdAt"] as const;
const userColumns = ["id", "org_id as orgId", "name", "created_at as createdAt", "updated_at as updatedAt"] as const;

export async function listOrganizations(store: Store, page: TenantPage): Promise<Organization[]> {
  const query = store.unscoped.selectFrom("organization").select(orgColumns);
  return await query
    .$if(page.after !== undefined, (some) => some.where(isAfter("organization", page.after)))
    .orderBy("created_at")
    .orderBy("id")
    .limit(page.limit)
    .execute();
}

export async function listUsers(store: Store, page: TenantPage): Promise<StoredUser[]> {
  const query = store.unscoped.selectFrom("user").select(userColumns);
  return await query
    .$if(page.after !== undefined, (some) => some.where(isAfter("user", page.after)))
    .orderBy("created_at")
    .orderBy("id")
    .limit(page.limit)
    .execute();
}

function isAfter(table: "organization" | "user", id: string | undefined) {
  const name = sql.table(table);
  return sql<boolean>`(created_at, id) > (select created_at, id from ${name} as cursor_row where cursor_row.id = ${id})`;
}

export async function findOrganization(store: Store, id: string): Promise<Organization | undefined> {
  return await store.unscoped.selectFrom("organization").select(orgColumns).where("id", "=", id).executeTakeFirst();
}

export async function findStoredUser(store: Store, id: string): Promise<StoredUser | undefined> {
  return await store.unscoped.selectFrom("user").select(userColumns).where("id", "=", id).executeTakeFirst();
}

export async function insertOrganization(store: Store, { id, name, createdAt: at }: Organization): Promise<void> {
  await store.unscoped
    .insertInto("organization")
    .values({ id, name, base_tools_key: null, created_at: at, updated_at: at })
    .execute();
}

export async function insertUser(store: Store, { id, orgId, name, createdAt: at }: StoredUser): Promise<void> {
  await store.unscoped
    .insertInto("user")
    .values({ id, org_id: orgId, name, role: "member", created_at: at, updated_at: at })
    .execute();
}

export async function renameTenant(store: Store, table: "organization" | "user", id: string, name: string) {
  await store.unscoped.updateTable(table).set({ name, updated_at: store.now() }).where("id", "=", id).execute();
}

/**
 * Deletes an organization with everything it owns; groups first, because an agent that manages one cannot be deleted.
 */
export async function deleteOrganization(store: Store, id: string): Promise<void> {
  await store.writeUnscoped(async (db) => {
    await db.deleteFrom("group").where("org_id", "=", id).execute();
    await db.deleteFrom("organization").where("id", "=", id).execute();
  });
}

export async function deleteUser(store: Store, id: string): Promise<void> {
  await store.unscoped.deleteFrom("user").where("id", "=", id).execute();
}
