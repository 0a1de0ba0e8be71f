/** What callers can do with identities. */
import { type Runtime, readScope, write } from "../../runtime.ts";
import type { Actor } from "../../shared/actor.ts";
import { isMemoirError } from "../../shared/errors.ts";
import { omitUndefined } from "../../shared/omit-undefined.ts";
import { getAgents } from "../../store/agents/agents.ts";
import {
  countIdentities,
  deleteIdentity,
  findIdentityByKey,
  getIdentity,
  type Identity,
  type IdentityFilter,
  type IdentityKind,
  type IdentityProperty,
  insertIdentity,
  linkIdentities,
  listIdentities,
  lockIdentity,
  unlinkIdentities,
  updateIdentity,
} from "../../store/agents/identities.ts";
import { getBlocks } from "../../store/blocks/blocks.ts";
import { StaleWriteError } from "../../store/engine/entity.ts";
import type { PageRequest } from "../../store/engine/paging.ts";
import type { Scope } from "../../store/engine/scope.ts";

export interface NewIdentity {
  readonly identifierKey: string;
  readonly name: string;
  readonly kind: IdentityKind;
  readonly projectId?: string | null;
  readonly properties?: readonly IdentityProperty[];
  readonly agentIds?: readonly string[];
  readonly blockIds?: readonly string[];
}

export interface IdentityUpdate {
  readonly identifierKey?: string;
  readonly name?: string;
  readonly kind?: IdentityKind;
  /** Merged into the stored ones by key. */
  readonly properties?: readonly IdentityProperty[];
  /** Added to the linked ones. */
  readonly agentIds?: readonly string[];
  readonly blockIds?: readonly string[];
}

export interface IdentityService {
  create(actor: Actor, identity: NewIdentity): Promise<Identity>;
  /** Updates the identity with this key, or creates it. */
  upsert(actor: Actor, identity: NewIdentity): Promise<Identity>;
  get(actor: Actor, id: string): Promise<Identity>;
  list(actor: Actor, filter: IdentityFilter, page: PageRequest): Promise<Identity[]>;
  count(actor: Actor, filter?: IdentityFilter): Promise<number>;
  update(actor: Actor, id: string, update: IdentityUpdate): Promise<Identity>;
  replaceProperties(actor: Actor, id: string, properties: readonly IdentityProperty[]): Promise<void>;
  delete(actor: Actor, id: string): Promise<void>;
}

export function createIdentityService(runtime: Runtime): IdentityService {
  return {
    create: (actor, input) => write(runtime, actor, (scope) => createIdentity(scope, actor, input)),
    upsert: (actor, input) =>
      write(runtime, actor, async (scope) => {
        const match = await findIdentityByKey(scope, input.identifierKey, input.projectId ?? null);
        if (!match) return await createMissing(scope, actor, input);
        const found = await lockIdentity(scope, match.id);
        if (input.agentIds) await unlinkIdentities(scope, "agent", { identityId: found.id });
        const { agentIds } = input;
        const { name, kind, properties = found.properties } = input;
        return await saveIdentity(scope, actor, { ...found, name, kind, properties }, { agentIds });
      }),
    get: (actor, id) => getIdentity(readScope(runtime, actor), id),
    list: (actor, filter, page) => listIdentities(readScope(runtime, actor), filter, page),
    count: (actor, filter) => countIdentities(readScope(runtime, actor), filter ?? {}),
    update: (actor, id, { agentIds, blockIds, properties, ...changes }) =>
      write(runtime, actor, async (scope) => {
        const seen = await lockIdentity(scope, id);
        const merged = mergeProperties(seen.properties, properties ?? []);
        const next = { ...seen, ...omitUndefined(changes), properties: merged };
        return await saveIdentity(scope, actor, next, { agentIds, blockIds });
      }),
    replaceProperties: (actor, id, properties) =>
      write(runtime, actor, async (scope) => {
        await saveIdentity(scope, actor, { ...(await lockIdentity(scope, id)), properties }, {});
      }),
    delete: (actor, id) => write(runtime, actor, (scope) => deleteIdentity(scope, id)),
  };
}

interface Links {
  readonly agentIds?: readonly string[];
  readonly blockIds?: readonly string[];
}

/** Someone else may have made it since it was looked for; then the transaction is run again, and finds it. */
async function createMissing(scope: Scope, actor: Actor, input: NewIdentity): Promise<Identity> {
  try {
    return await createIdentity(scope, actor, input);
  } catch (error) {
    throw isMemoirError(error, "conflict") ? new StaleWriteError("identity", input.identifierKey) : error;
  }
}

async function createIdentity(scope: Scope, actor: Actor, input: NewIdentity): Promise<Identity> {
  const at = scope.now();
  const identity: Identity = {
    id: scope.newId("identity"),
    identifierKey: input.identifierKey,
    name: input.name,
    kind: input.kind,
    projectId: input.projectId ?? null,
    properties: input.properties ?? [],
    createdAt: at,
    updatedAt: at,
    createdBy: actor.userId,
    updatedBy: actor.userId,
  };
  await insertIdentity(scope, identity);
  await addLinks(scope, identity.id, input);
  return identity;
}

async function saveIdentity(scope: Scope, actor: Actor, next: Identity, links: Links): Promise<Identity> {
  const identity = { ...next, updatedAt: scope.now(), updatedBy: actor.userId };
  await updateIdentity(scope, identity);
  await addLinks(scope, identity.id, links);
  return identity;
}

async function addLinks(scope: Scope, identityId: string, { agentIds = [], blockIds = [] }: Links): Promise<void> {
  await getAgents(scope, agentIds);
  await getBlocks(scope, blockIds);
  await linkIdentities(
    scope,
    "agent",
    agentIds.map((ownerId) => ({ ownerId, identityId })),
  );
  await linkIdentities(
    scope,
    "block",
    blockIds.map((ownerId) => ({ ownerId, identityId })),
  );
}

function mergeProperties(
  stored: readonly IdentityProperty[],
  input: readonly IdentityProperty[],
): readonly IdentityProperty[] {
  return [...new Map([...stored, ...input].map((property) => [property.key, property])).values()];
}
