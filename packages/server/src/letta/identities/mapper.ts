/** Identities between core and wire. */
import {
  type Actor,
  type Identity,
  type IdentityFilter,
  type IdentityUpdate,
  type NewIdentity,
  omitUndefined,
} from "@memoir/core";
import type { CreateIdentityWire, IdentityListQuery, IdentityUpdateWire, IdentityWire } from "./schema.ts";

export function toIdentityWire(identity: Identity, { orgId }: Actor): IdentityWire {
  return {
    id: identity.id,
    identifier_key: identity.identifierKey,
    name: identity.name,
    identity_type: identity.kind,
    project_id: identity.projectId,
    // Always empty since the links have lists of their own.
    agent_ids: [],
    block_ids: [],
    organization_id: orgId,
    properties: identity.properties.map(({ key, value, type }) => ({ key, value, type })),
  };
}

export function fromCreateIdentity(wire: CreateIdentityWire): NewIdentity {
  return {
    identifierKey: wire.identifier_key,
    name: wire.name,
    kind: wire.identity_type,
    projectId: wire.project_id ?? null,
    properties: wire.properties,
    agentIds: wire.agent_ids,
    blockIds: wire.block_ids,
  };
}

export function fromIdentityUpdate(wire: IdentityUpdateWire): IdentityUpdate {
  return omitUndefined({
    identifierKey: wire.identifier_key,
    name: wire.name,
    kind: wire.identity_type,
    properties: wire.properties,
    agentIds: wire.agent_ids,
    blockIds: wire.block_ids,
  });
}

export function fromIdentityFilter(query: IdentityListQuery): IdentityFilter {
  return {
    name: query.name,
    identifierKey: query.identifier_key,
    kind: query.identity_type,
    projectId: query.project_id,
  };
}
