/** Every row is named `<prefix>-<uuid4>`; the prefixes are part of what clients store, so they never change. */
import { randomUUID } from "node:crypto";

export type IdPrefix =
  | "agent"
  | "agent-env"
  | "archive"
  | "audit"
  | "batch_item"
  | "block"
  | "conv"
  | "file"
  | "file_agent"
  | "group"
  | "identity"
  | "job"
  | "key"
  | "mcp_server"
  | "mcp-oauth"
  | "message"
  | "model"
  | "org"
  | "outbox"
  | "passage"
  | "provider"
  | "provider_trace"
  | "run"
  | "sandbox"
  | "sandbox-env"
  | "schedule"
  | "secret"
  | "source"
  | "step"
  | "tool"
  | "user";

export type NewId = (prefix: IdPrefix) => string;

export const newId: NewId = (prefix) => `${prefix}-${randomUUID()}`;

export const defaultOrgId = "org-00000000-0000-4000-8000-000000000000";
export const defaultUserId = "user-00000000-0000-4000-8000-000000000000";

export const uuid4Pattern = "[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}";

export function isId(prefix: IdPrefix, value: string): boolean {
  return new RegExp(`^${prefix}-${uuid4Pattern}$`).test(value);
}
