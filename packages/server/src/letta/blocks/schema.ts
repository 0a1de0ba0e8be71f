/** Blocks on the wire. */
import type { JsonObject } from "@memoir/core";
import { z } from "zod";
import { optional, WireObject, wireInteger, wireList, wireName, wireText } from "../shared/fields.ts";
import { idSchema } from "../shared/ids.ts";
import { type PageQuery, pageShape } from "../shared/paging.ts";
import { queryBoolean, queryInteger, queryList, queryText, queryTexts } from "../shared/query.ts";

export interface BlockWire {
  value: string;
  limit: number;
  project_id: string | null;
  template_name: string | null;
  is_template: boolean;
  template_id: string | null;
  base_template_id: string | null;
  deployment_id: string | null;
  entity_id: string | null;
  preserve_on_migration: boolean | null;
  label: string | null;
  read_only: boolean;
  description: string | null;
  metadata: JsonObject | null;
  hidden: boolean | null;
  id: string;
  created_by_id: string | null;
  last_updated_by_id: string | null;
  tags: string[] | null;
}

export const blockShape = {
  value: z.string(),
  limit: z.int(),
  project_id: z.string().nullable(),
  template_name: z.string().nullable(),
  is_template: z.boolean(),
  template_id: z.string().nullable(),
  base_template_id: z.string().nullable(),
  deployment_id: z.string().nullable(),
  entity_id: z.string().nullable(),
  preserve_on_migration: z.boolean().nullable(),
  label: z.string().nullable(),
  read_only: z.boolean(),
  description: z.string().nullable(),
  metadata: WireObject.nullable(),
  hidden: z.boolean().nullable(),
  id: z.string(),
  created_by_id: z.string().nullable(),
  last_updated_by_id: z.string().nullable(),
  tags: z.array(z.string()).nullable(),
};

export const BlockWire: z.ZodType<BlockWire> = z.strictObject(blockShape).meta({ id: "BlockResponse" });

export interface BlockUpdateWire {
  value?: string;
  limit?: number;
  project_id?: string;
  template_name?: string;
  is_template?: boolean;
  template_id?: string;
  base_template_id?: string;
  deployment_id?: string;
  entity_id?: string;
  preserve_on_migration?: boolean;
  label?: string;
  read_only?: boolean;
  description?: string;
  metadata?: JsonObject;
  hidden?: boolean;
  tags?: string[];
}

const updateShape = {
  value: optional(wireText),
  limit: optional(wireInteger),
  project_id: optional(wireName),
  template_name: optional(wireName),
  is_template: optional(z.boolean()),
  template_id: optional(wireName),
  base_template_id: optional(wireName),
  deployment_id: optional(wireName),
  entity_id: optional(wireName),
  preserve_on_migration: optional(z.boolean()),
  label: optional(wireName),
  read_only: optional(z.boolean()),
  description: optional(wireText),
  metadata: optional(WireObject),
  hidden: optional(z.boolean()),
  tags: optional(wireList(wireName)),
};

export const BlockUpdateWire: z.ZodType<BlockUpdateWire> = z.object(updateShape).meta({ id: "BlockUpdate" });

export interface CreateBlockWire extends BlockUpdateWire {
  label: string;
}

export const createBlockShape = { ...updateShape, label: wireName };

export const CreateBlockWire: z.ZodType<CreateBlockWire> = z.object(createBlockShape).meta({ id: "CreateBlock" });

export interface BlockFilterQuery {
  label?: string;
  name?: string;
  templates_only?: boolean;
  identity_id?: string;
  identifier_keys?: string[];
  project_id?: string;
  tags?: string[];
  match_all_tags?: boolean;
  label_search?: string;
  description_search?: string;
  value_search?: string;
  connected_to_agents_count_gt?: number;
  connected_to_agents_count_lt?: number;
  connected_to_agents_count_eq?: number[];
  show_hidden_blocks?: boolean;
}

const labelPattern = /^[a-zA-Z0-9_/-]{1,50}$/;

const filterShape = {
  label: z.preprocess(
    (value) => (Array.isArray(value) ? value.at(-1) : value),
    wireName.regex(labelPattern).optional(),
  ),
  name: queryText,
  templates_only: queryBoolean,
  identity_id: queryText,
  identifier_keys: queryTexts,
  project_id: queryText,
  tags: queryTexts,
  match_all_tags: queryBoolean,
  label_search: queryText,
  description_search: queryText,
  value_search: queryText,
  connected_to_agents_count_gt: queryInteger(),
  connected_to_agents_count_lt: queryInteger(),
  connected_to_agents_count_eq: queryList(z.coerce.number().int().min(0).max(2_147_483_647)),
  show_hidden_blocks: queryBoolean,
};

export const BlockFilterQuery: z.ZodType<BlockFilterQuery> = z.object(filterShape);

export type BlockListQuery = BlockFilterQuery & PageQuery;
export const BlockListQuery: z.ZodType<BlockListQuery> = z.object({ ...filterShape, ...pageShape });

export interface BlockParams {
  block_id: string;
}

export const BlockParams: z.ZodType<BlockParams> = z.object({ block_id: idSchema("block") });

export interface BlockIdentityParams extends BlockParams {
  identity_id: string;
}

export const BlockIdentityParams: z.ZodType<BlockIdentityParams> = z.object({
  block_id: idSchema("block"),
  identity_id: idSchema("identity"),
});
