/** `/v1/memoir/keys` and `/v1/memoir/audit`: who may use this server, and what they changed. For owners. */
import type { ApiKey, AuditEntry, Memoir } from "@memoir/core";
import { z } from "zod";
import { type PageQuery, pageShape, toPage } from "../../letta/shared/paging.ts";
import { fromWireTime, toWireTime } from "../../letta/shared/time.ts";
import { defineRoute, type Route } from "../../route.ts";
import { AuditWire, KeyParams, KeyWire, NewKeyAnswer, NewKeyWire } from "./schema.ts";

const tag = "memoir";
const ListQuery: z.ZodType<PageQuery> = z.object(pageShape);
const defaultPage = { limit: 50, order: "desc" } as const;

export function keyRoutes(memoir: Memoir): Route[] {
  return [
    defineRoute({
      method: "POST",
      path: "/v1/memoir/keys",
      operationId: "memoir_create_key",
      summary: "Make an API key; the answer is the only time it is shown",
      tag,
      access: "owner",
      scope: "none",
      body: NewKeyWire,
      response: NewKeyAnswer,
      handler: async ({ actor, body }) => {
        const { key, secret } = await memoir.keys.create(actor, {
          name: body.name,
          role: body.role,
          agentId: body.agent_id,
          conversationId: body.conversation_id,
          mayOverride: body.allow_overrides,
          expiresAt: body.expires_at === undefined ? undefined : fromWireTime(body.expires_at),
        });
        return { ...toKeyWire(key), key: secret };
      },
    }),
    defineRoute({
      method: "GET",
      path: "/v1/memoir/keys",
      operationId: "memoir_list_keys",
      summary: "List the API keys of the organization, newest first",
      tag,
      access: "owner",
      scope: "none",
      query: ListQuery,
      response: z.array(KeyWire),
      handler: async ({ actor, query }) => (await memoir.keys.list(actor, toPage(query, defaultPage))).map(toKeyWire),
    }),
    defineRoute({
      method: "DELETE",
      path: "/v1/memoir/keys/{key_id}",
      operationId: "memoir_revoke_key",
      summary: "Revoke an API key; from the next request on it opens nothing",
      tag,
      access: "owner",
      scope: "none",
      params: KeyParams,
      response: KeyWire,
      handler: async ({ actor, params }) => toKeyWire(await memoir.keys.revoke(actor, params.key_id)),
    }),
    defineRoute({
      method: "GET",
      path: "/v1/memoir/audit",
      operationId: "memoir_list_audit",
      summary: "List what was changed with keys, newest first",
      tag,
      access: "owner",
      scope: "none",
      query: ListQuery,
      response: z.array(AuditWire),
      handler: async ({ actor, query }) =>
        (await memoir.audit.list(actor, toPage(query, defaultPage))).map(toAuditWire),
    }),
  ];
}

function toKeyWire(key: ApiKey): KeyWire {
  return {
    id: key.id,
    name: key.name,
    role: key.role,
    user_id: key.userId,
    agent_id: key.agentId,
    conversation_id: key.conversationId,
    allow_overrides: key.mayOverride,
    created_at: toWireTime(key.createdAt),
    expires_at: toWireTime(key.expiresAt),
    revoked_at: toWireTime(key.revokedAt),
    last_used_at: toWireTime(key.lastUsedAt),
  };
}

function toAuditWire(entry: AuditEntry): AuditWire {
  return {
    id: entry.id,
    user_id: entry.userId,
    key_id: entry.keyId,
    action: entry.action,
    target: entry.target,
    created_at: toWireTime(entry.createdAt),
  };
}
