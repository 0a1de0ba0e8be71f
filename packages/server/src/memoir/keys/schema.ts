/** API keys and the audit log on the wire. */
import { type KeyRole, keyRoles } from "@memoir/core";
import { z } from "zod";
import { optional, wireName } from "../../letta/shared/fields.ts";
import { idSchema } from "../../letta/shared/ids.ts";
import { WireTime } from "../../letta/shared/time.ts";

export interface KeyWire {
  id: string;
  name: string;
  role: KeyRole;
  user_id: string;
  agent_id: string | null;
  conversation_id: string | null;
  allow_overrides: boolean;
  created_at: string;
  expires_at: string | null;
  revoked_at: string | null;
  last_used_at: string | null;
}

const keyShape = {
  id: z.string(),
  name: z.string(),
  role: z.enum(keyRoles),
  user_id: z.string(),
  agent_id: z.string().nullable(),
  conversation_id: z.string().nullable(),
  allow_overrides: z.boolean(),
  created_at: z.string(),
  expires_at: z.string().nullable(),
  revoked_at: z.string().nullable(),
  last_used_at: z.string().nullable(),
};

export const KeyWire: z.ZodType<KeyWire> = z.strictObject(keyShape).meta({ id: "MemoirKey" });

export interface NewKeyAnswer extends KeyWire {
  /** Shown this once. */
  key: string;
}

export const NewKeyAnswer: z.ZodType<NewKeyAnswer> = z
  .strictObject({ ...keyShape, key: z.string() })
  .meta({ id: "MemoirNewKey" });

export interface NewKeyWire {
  name: string;
  role?: KeyRole | undefined;
  agent_id?: string | undefined;
  conversation_id?: string | undefined;
  /** Only for a key of one agent or conversation; others may always override. */
  allow_overrides?: boolean | undefined;
  expires_at?: string | undefined;
}

export const NewKeyWire: z.ZodType<NewKeyWire> = z
  .object({
    name: wireName,
    role: optional(z.enum(keyRoles)),
    agent_id: optional(idSchema("agent")),
    conversation_id: optional(idSchema("conv")),
    allow_overrides: optional(z.boolean()),
    expires_at: optional(WireTime),
  })
  .meta({ id: "MemoirCreateKey" });

export const KeyParams: z.ZodType<{ key_id: string }> = z.object({ key_id: idSchema("key") });

export interface AuditWire {
  id: string;
  user_id: string | null;
  key_id: string | null;
  action: string;
  target: string | null;
  created_at: string;
}

export const AuditWire: z.ZodType<AuditWire> = z
  .strictObject({
    id: z.string(),
    user_id: z.string().nullable(),
    key_id: z.string().nullable(),
    action: z.string(),
    target: z.string().nullable(),
    created_at: z.string(),
  })
  .meta({ id: "MemoirAuditEntry" });
