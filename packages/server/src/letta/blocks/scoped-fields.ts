/** What a key for one agent may change of a block, which other agents may share. */
import type { FieldRules } from "../../route.ts";
import type { BlockUpdateWire } from "./schema.ts";

export const blockFields: FieldRules<BlockUpdateWire> = {
  value: "free",
  limit: "refused",
  project_id: "refused",
  template_name: "refused",
  is_template: "refused",
  template_id: "refused",
  base_template_id: "refused",
  deployment_id: "refused",
  entity_id: "refused",
  preserve_on_migration: "refused",
  label: "refused",
  read_only: "refused",
  description: "refused",
  metadata: "refused",
  hidden: "refused",
  tags: "refused",
};
