/** An agent's files as its core memory shows them: in the form of blocks that cannot be edited. */
import type { NamedLink } from "@memoir/core";
import { z } from "zod";
import { type BlockWire, blockShape } from "../blocks/schema.ts";
import { toWireTime } from "../shared/time.ts";

export interface FileBlockWire extends BlockWire {
  file_id: string;
  source_id: string;
  is_open: boolean;
  last_accessed_at: string | null;
}

export const FileBlockWire: z.ZodType<FileBlockWire> = z
  .strictObject({
    ...blockShape,
    file_id: z.string(),
    source_id: z.string(),
    is_open: z.boolean(),
    last_accessed_at: z.string().nullable(),
  })
  .meta({ id: "FileBlock" });

export function toFileBlockWire(link: NamedLink, limit: number): FileBlockWire {
  return {
    value: link.isOpen ? (link.visible ?? "") : "",
    limit,
    project_id: null,
    template_name: null,
    is_template: false,
    template_id: null,
    base_template_id: null,
    deployment_id: null,
    entity_id: null,
    preserve_on_migration: false,
    label: link.fileName,
    read_only: true,
    description: null,
    metadata: {},
    hidden: null,
    // There is no such block; whoever asks for it is told so.
    id: link.id.replace(/^file_agent-/, "block-"),
    created_by_id: null,
    last_updated_by_id: null,
    tags: [],
    file_id: link.fileId,
    source_id: link.folderId,
    is_open: link.isOpen,
    last_accessed_at: toWireTime(link.lastAccessedAt),
  };
}
