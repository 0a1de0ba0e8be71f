/** Blocks between core and wire. */
import { type BlockFilter, type BlockUpdate, type NewBlock, omitUndefined, type TaggedBlock } from "@memoir/core";
import type { BlockFilterQuery, BlockUpdateWire, BlockWire, CreateBlockWire } from "./schema.ts";

export function toBlockWire(block: TaggedBlock): BlockWire {
  return {
    value: block.value,
    limit: block.charLimit,
    project_id: block.projectId,
    template_name: block.templateName,
    is_template: block.isTemplate,
    template_id: block.templateId,
    base_template_id: block.baseTemplateId,
    deployment_id: block.deploymentId,
    entity_id: block.entityId,
    preserve_on_migration: block.preserveOnMigration,
    label: block.label,
    read_only: block.readOnly,
    description: block.description,
    metadata: block.metadata,
    hidden: block.hidden,
    id: block.id,
    // The old server never fills these two for blocks.
    created_by_id: null,
    last_updated_by_id: null,
    tags: [...block.tags],
  };
}

export function fromBlockUpdate(wire: BlockUpdateWire): BlockUpdate {
  return omitUndefined({
    value: wire.value,
    charLimit: wire.limit,
    projectId: wire.project_id,
    templateName: wire.template_name,
    isTemplate: wire.is_template,
    templateId: wire.template_id,
    baseTemplateId: wire.base_template_id,
    deploymentId: wire.deployment_id,
    entityId: wire.entity_id,
    preserveOnMigration: wire.preserve_on_migration,
    label: wire.label,
    readOnly: wire.read_only,
    description: wire.description,
    metadata: wire.metadata,
    hidden: wire.hidden,
    tags: wire.tags,
  });
}

export function fromCreateBlock(wire: CreateBlockWire): NewBlock {
  return { ...fromBlockUpdate(wire), label: wire.label, value: wire.value ?? "" };
}

export function fromBlockFilter(query: BlockFilterQuery): BlockFilter {
  return {
    label: query.label,
    name: query.name,
    isTemplate: query.templates_only ? true : undefined,
    identityId: query.identity_id,
    identifierKeys: query.identifier_keys,
    projectId: query.project_id,
    tags: query.tags,
    matchAllTags: query.match_all_tags,
    labelSearch: query.label_search,
    descriptionSearch: query.description_search,
    valueSearch: query.value_search,
    agentCountAbove: query.connected_to_agents_count_gt,
    agentCountBelow: query.connected_to_agents_count_lt,
    agentCounts: query.connected_to_agents_count_eq,
    showHidden: query.show_hidden_blocks,
  };
}
