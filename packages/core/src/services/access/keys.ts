/** API keys: made, listed, revoked, and recognised when a caller sends one. */
import { createHash, randomBytes } from "node:crypto";
import type { Runtime } from "../../runtime.ts";
import type { Actor } from "../../shared/actor.ts";
import { invalidInput } from "../../shared/errors.ts";
import { silentLog } from "../../shared/log.ts";
import {
  type ApiKey,
  insertKey,
  type KeyRole,
  keyRoles,
  listKeys,
  revokeKey,
  touchKey,
} from "../../store/access/keys.ts";
import { getAgent } from "../../store/agents/agents.ts";
import { findOwner, type OwnedTable, type Owner } from "../../store/agents/row-owner.ts";
import { getLiveConversation } from "../../store/conversations/conversations.ts";
import type { PageRequest } from "../../store/engine/paging.ts";
import type { Scope } from "../../store/engine/scope.ts";
import { findKeyByHash, hasKeys } from "../../store/system.ts";
import { type QuietOptions, withQuietStore } from "../offline/offline-store.ts";

export interface NewKey {
  readonly name: string;
  /** `member` unless given. */
  readonly role?: KeyRole;
  /** The key is good for this agent only. */
  readonly agentId?: string;
  /** The key is good for this conversation only. */
  readonly conversationId?: string;
  /** Lets a key for one agent or conversation replace the agent's instructions, model and tools for a message. */
  readonly mayOverride?: boolean;
  readonly expiresAt?: number;
}

export interface KeyHolder {
  readonly actor: Actor;
  readonly key: ApiKey;
}

export interface KeyService {
  /** The secret is shown this once. */
  create(actor: Actor, input: NewKey): Promise<{ readonly key: ApiKey; readonly secret: string }>;
  list(actor: Actor, page: PageRequest): Promise<ApiKey[]>;
  revoke(actor: Actor, id: string): Promise<ApiKey>;
  /** Undefined for what is no key, or none any more. */
  find(secret: string): Promise<KeyHolder | undefined>;
  /** Whether there are any that count. */
  exist(): Promise<boolean>;
  /** The agent and conversation that something belongs to, for keys that are good for one only. */
  findOwner(actor: Actor, entity: OwnedTable, id: string): Promise<Owner | undefined>;
}

/** Tells our keys from a provider's at a glance. */
export const keyPrefix = "mk-";
const longestName = 200;
/** Often enough to see which keys are in use. */
const touchEveryMs = 60_000;

/** Keys of a database, also while a server is at work on it. */
export async function manageKeys<R>(options: QuietOptions, work: (keys: KeyService) => Promise<R>): Promise<R> {
  return await withQuietStore(options, (store) => work(createKeyService({ store, log: silentLog })));
}

export function createKeyService(runtime: Pick<Runtime, "store" | "log">): KeyService {
  const touched = new Map<string, number>();
  const touch = ({ actor, key }: KeyHolder) => {
    const at = Date.now();
    if (at - (touched.get(key.id) ?? 0) < touchEveryMs) return;
    touched.set(key.id, at);
    runtime.store
      .write(actor.orgId, (scope) => touchKey(scope, key.id))
      .catch((error: unknown) => {
        runtime.log.warn({ err: error }, "the last use of a key could not be noted");
      });
  };
  return {
    create: async (actor, input) => {
      checkKey(input, runtime.store.now());
      const secret = `${keyPrefix}${randomBytes(32).toString("base64url")}`;
      const key = await runtime.store.write(actor.orgId, async (scope) => {
        const made = await composeKey(scope, actor, input);
        await insertKey(scope, made, hashOf(secret));
        return made;
      });
      return { key, secret };
    },
    list: (actor, page) => listKeys(runtime.store.read(actor.orgId), page),
    revoke: (actor, id) => runtime.store.write(actor.orgId, (scope) => revokeKey(scope, id)),
    find: async (secret) => {
      const found = secret.startsWith(keyPrefix) ? await findKeyByHash(runtime.store, hashOf(secret)) : undefined;
      if (!found || !isValid(found.key, runtime.store.now())) return undefined;
      const holder = { actor: { orgId: found.orgId, userId: found.key.userId }, key: found.key };
      touch(holder);
      return holder;
    },
    exist: () => hasKeys(runtime.store),
    findOwner: (actor, entity, id) => findOwner(runtime.store.read(actor.orgId), entity, id),
  };
}

function isValid({ revokedAt, expiresAt }: ApiKey, now: number): boolean {
  return revokedAt === null && (expiresAt === null || expiresAt > now);
}

/** Keys are random and long: a slow hash would protect nothing more. */
function hashOf(secret: string): string {
  return createHash("sha256").update(secret).digest("hex");
}

function checkKey({ name, role, agentId, conversationId, mayOverride, expiresAt }: NewKey, now: number): void {
  if (name.trim() === "" || name.length > longestName) {
    throw invalidInput("name", `a key needs a name of 1 to ${longestName} characters, for the list of keys`);
  }
  if (role !== undefined && !keyRoles.includes(role)) {
    throw invalidInput("role", `role must be one of ${keyRoles.join(", ")}`);
  }
  if (role === "owner" && (agentId !== undefined || conversationId !== undefined)) {
    throw invalidInput("role", "a key for one agent or conversation cannot be an owner's: choose member or reader");
  }
  if (mayOverride === false && agentId === undefined && conversationId === undefined) {
    throw invalidInput(
      "allow_overrides",
      "a key that is not for one agent or conversation may always override: give it an agent, or leave allow_overrides out",
    );
  }
  if (expiresAt !== undefined && expiresAt <= now) {
    throw invalidInput("expires_at", "expires_at is in the past");
  }
}

async function composeKey(scope: Scope, actor: Actor, input: NewKey): Promise<ApiKey> {
  const { agentId, conversationId } = input;
  const conversation = conversationId === undefined ? undefined : await getLiveConversation(scope, conversationId);
  const agent = agentId === undefined ? undefined : await getAgent(scope, agentId);
  if (agent && conversation && conversation.agentId !== agent.id) {
    throw invalidInput("conversation_id", "the conversation is not one of that agent");
  }
  return {
    id: scope.newId("key"),
    userId: actor.userId,
    name: input.name,
    role: input.role ?? "member",
    agentId: agent?.id ?? conversation?.agentId ?? null,
    conversationId: conversation?.id ?? null,
    mayOverride: input.mayOverride ?? (agent === undefined && conversation === undefined),
    createdAt: scope.now(),
    expiresAt: input.expiresAt ?? null,
    revokedAt: null,
    lastUsedAt: null,
  };
}
