/** Identities on the wire. */
import type { JsonObject } from "@memoir/core";
import { z } from "zod";
import { optional, WireObject, wireList, wireName, wireText } from "../shared/fields.ts";
import { idSchema } from "../shared/ids.ts";
import { type PageQuery, pageShape } from "../shared/paging.ts";
import { queryEnum, queryText } from "../shared/query.ts";

const IdentityTypeWire = z.enum(["org", "user", "other"]);
export type IdentityTypeWire = z.infer<typeof IdentityTypeWire>;

export interface IdentityPropertyWire {
  key: string;
  value: string | number | boolean | JsonObject;
  type: "string" | "number" | "boolean" | "json";
}

export const IdentityPropertyWire: z.ZodType<IdentityPropertyWire> = z
  .strictObject({
    key: wireName,
    value: z.union([wireText, z.number(), z.boolean(), WireObject]),
    type: z.enum(["string", "number", "boolean", "json"]),
  })
  .meta({ id: "IdentityProperty" });

export const IdentityPropertiesWire: z.ZodType<IdentityPropertyWire[]> = wireList(IdentityPropertyWire);

export interface IdentityWire {
  id: string;
  identifier_key: string;
  name: string;
  identity_type: IdentityTypeWire;
  project_id: string | null;
  agent_ids: string[];
  block_ids: string[];
  organization_id: string;
  properties: IdentityPropertyWire[];
}

export const IdentityWire: z.ZodType<IdentityWire> = z
  .strictObject({
    id: z.string(),
    identifier_key: z.string(),
    name: z.string(),
    identity_type: IdentityTypeWire,
    project_id: z.string().nullable(),
    agent_ids: z.array(z.string()),
    block_ids: z.array(z.string()),
    organization_id: z.string(),
    properties: IdentityPropertiesWire,
  })
  .meta({ id: "Identity" });

export interface CreateIdentityWire {
  identifier_key: string;
  name: string;
  identity_type: IdentityTypeWire;
  project_id?: string;
  agent_ids?: string[];
  block_ids?: string[];
  properties?: IdentityPropertyWire[];
}

const linkShape = {
  agent_ids: optional(wireList(wireName)),
  block_ids: optional(wireList(wireName)),
  properties: optional(IdentityPropertiesWire),
};

export const CreateIdentityWire: z.ZodType<CreateIdentityWire> = z
  .strictObject({
    identifier_key: wireName,
    name: wireName,
    identity_type: IdentityTypeWire,
    project_id: optional(wireName),
    ...linkShape,
  })
  .meta({ id: "IdentityCreate" });

export interface IdentityUpdateWire {
  identifier_key?: string;
  name?: string;
  identity_type?: IdentityTypeWire;
  agent_ids?: string[];
  block_ids?: string[];
  properties?: IdentityPropertyWire[];
}

export const IdentityUpdateWire: z.ZodType<IdentityUpdateWire> = z
  .strictObject({
    identifier_key: optional(wireName),
    name: optional(wireName),
    identity_type: optional(IdentityTypeWire),
    ...linkShape,
  })
  .meta({ id: "IdentityUpdate" });

export interface IdentityListQuery extends PageQuery {
  name?: string;
  identifier_key?: string;
  identity_type?: IdentityTypeWire;
  project_id?: string;
}

export const IdentityListQuery: z.ZodType<IdentityListQuery> = z.object({
  ...pageShape,
  name: queryText,
  identifier_key: queryText,
  identity_type: queryEnum("org", "user", "other"),
  project_id: queryText,
});

export interface IdentityParams {
  identity_id: string;
}

export const IdentityParams: z.ZodType<IdentityParams> = z.object({ identity_id: idSchema("identity") });
