/** Agents taken out whole, to be kept or carried elsewhere, and brought in again. */
import { type Runtime, readScope, write } from "../../runtime.ts";
import type { Actor } from "../../shared/actor.ts";
import type { Executors } from "../../tools/tool.ts";
import type { McpAccess } from "../mcp/mcp-connection.ts";
import type { ModelSources } from "../models/resolve-model.ts";
import { exportAgent } from "./agent-export.ts";
import type { ExportOptions, ImportOptions, ImportResult, PortableAgents } from "./agent-file-format.ts";
import { importAgents, prepareImport } from "./agent-import.ts";

export interface AgentFileService {
  /** The agent, and those of the group it manages. */
  export(actor: Actor, agentId: string, options?: ExportOptions): Promise<PortableAgents>;
  /** All of it, or nothing. */
  import(actor: Actor, portable: PortableAgents, options?: ImportOptions): Promise<ImportResult>;
}

export function createAgentFileService(
  runtime: Runtime,
  { directory, models }: ModelSources,
  { mcp, executors }: { readonly mcp: McpAccess; readonly executors: Executors },
): AgentFileService {
  const sources = { directory, models, access: mcp, executors };
  return {
    export: (actor, agentId, options = {}) => exportAgent(runtime, readScope(runtime, actor), agentId, options),
    import: async (actor, portable, options = {}) => {
      const plan = await prepareImport(runtime, sources, actor, portable, options);
      return await write(runtime, actor, (scope) => importAgents(runtime, scope, actor, plan));
    },
  };
}
