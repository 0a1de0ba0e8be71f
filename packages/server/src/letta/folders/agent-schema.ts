/** What an agent has of folders and files, on the wire. */
import { z } from "zod";
import { idSchema } from "../shared/ids.ts";
import { type PageQuery, pageShape } from "../shared/paging.ts";
import { queryBoolean, queryText } from "../shared/query.ts";
import type { FolderParam, FolderParams } from "./schema.ts";

export interface AgentFileWire {
  id: string;
  file_id: string;
  file_name: string;
  folder_id: string;
  folder_name: string;
  is_open: boolean;
  last_accessed_at: string | null;
  visible_content: string | null;
  start_line: number | null;
  end_line: number | null;
}

export interface AgentFilesWire {
  files: AgentFileWire[];
  next_cursor: string | null;
  has_more: boolean;
}

const AgentFileWire: z.ZodType<AgentFileWire> = z
  .strictObject({
    id: z.string(),
    file_id: z.string(),
    file_name: z.string(),
    folder_id: z.string(),
    folder_name: z.string(),
    is_open: z.boolean(),
    last_accessed_at: z.string().nullable(),
    visible_content: z.string().nullable(),
    start_line: z.int().nullable(),
    end_line: z.int().nullable(),
  })
  .meta({ id: "AgentFileAttachment" });

export const AgentFilesWire: z.ZodType<AgentFilesWire> = z
  .strictObject({ files: z.array(AgentFileWire), next_cursor: z.string().nullable(), has_more: z.boolean() })
  .meta({ id: "PaginatedAgentFiles" });

export interface AgentFilesQuery extends PageQuery {
  /** Older spelling of `after`. */
  cursor?: string;
  is_open?: boolean;
}

export const AgentFilesQuery: z.ZodType<AgentFilesQuery> = z.object({
  ...pageShape,
  cursor: queryText,
  is_open: queryBoolean,
});

export interface AgentFileParams {
  agent_id: string;
  file_id: string;
}

export const AgentFileParams: z.ZodType<AgentFileParams> = z.object({
  agent_id: idSchema("agent"),
  file_id: idSchema("file"),
});

export interface ClosedWire {
  message: string;
}

export const ClosedWire: z.ZodType<ClosedWire> = z.strictObject({ message: z.string() });

const agent_id = idSchema("agent");
const id = idSchema("source");

const ofAgent: FolderParams<"agent_id"> = {
  folder_id: z.object({ agent_id, folder_id: id }),
  source_id: z.object({ agent_id, source_id: id }),
};

export const agentFolderParams = <P extends FolderParam>(param: P): z.ZodType<Record<P | "agent_id", string>> =>
  ofAgent[param];
