/** The audit log: one row per change that was made with a login. */
import type { JsonObject } from "../../shared/json.ts";
import { createCodec, json, plain } from "../engine/codec.ts";
import { type Entity, insertEntities } from "../engine/entity.ts";
import { listPage, type PageRequest } from "../engine/paging.ts";
import type { Scope } from "../engine/scope.ts";

export interface AuditEntry {
  readonly id: string;
  readonly userId: string | null;
  readonly keyId: string | null;
  /** The operation id of the API. */
  readonly action: string;
  readonly target: string | null;
  readonly detail: JsonObject | null;
  readonly createdAt: number;
}

const auditEntity: Entity<AuditEntry, "audit"> = {
  table: "audit",
  name: "audit entry",
  codec: createCodec<AuditEntry>("audit", {
    id: plain("id"),
    userId: plain("user_id"),
    keyId: plain("api_key_id"),
    action: plain("action"),
    target: plain("target"),
    detail: json("detail"),
    createdAt: plain("created_at"),
  }),
};

export const insertAudit = (scope: Scope, entries: readonly AuditEntry[]): Promise<void> =>
  insertEntities(scope, auditEntity, entries);

export const listAudit = (scope: Scope, page: PageRequest): Promise<AuditEntry[]> =>
  listPage(scope, auditEntity, scope.select("audit"), page);
