/** `/v1/agents/{agent_id}/export` and `/v1/agents/import`: agents as files. */
import { type ImportOptions, type Memoir, MemoirError, type PortableAgents } from "@memoir/core";
import { z } from "zod";
import { defineRoute, type Route } from "../../route.ts";
import { AgentParams } from "../agents/schema.ts";
import { fromAgentFile } from "./from-file.ts";
import { readAgentFile } from "./read-file.ts";
import { AgentFileWire, ExportAgentWire, ExportQuery, ImportedWire, ImportForm } from "./schema.ts";
import { toAgentFile } from "./to-file.ts";

const tag = "agents";

export function agentFileRoutes(memoir: Memoir): Route[] {
  return [
    defineRoute({
      method: "GET",
      path: "/v1/agents/{agent_id}/export",
      operationId: "export_agent",
      summary: "Export an agent as a file",
      tag,
      access: "read",
      scope: "none",
      params: AgentParams,
      query: ExportQuery,
      response: AgentFileWire,
      isIndented: true,
      handler: async ({ actor, params, query }) => {
        if (query.use_legacy_format) throw new LegacyRefusal();
        return write(await memoir.agentFiles.export(actor, params.agent_id, fromExport(query)));
      },
    }),
    defineRoute({
      method: "POST",
      path: "/v1/agents/{agent_id}/export",
      operationId: "export_agent_with_skills",
      summary: "Export an agent as a file, with skills added to it",
      tag,
      access: "member",
      scope: "none",
      params: AgentParams,
      body: ExportAgentWire.nullable(),
      isBodyOptional: true,
      response: AgentFileWire,
      isIndented: true,
      handler: async ({ actor, params, body }) => {
        const portable = await memoir.agentFiles.export(actor, params.agent_id, fromExport(body ?? {}));
        return write(portable, body?.skills);
      },
    }),
    defineRoute({
      method: "POST",
      path: "/v1/agents/import",
      operationId: "import_agent",
      summary: "Import the agents of a file",
      tag,
      access: "member",
      scope: "none",
      body: ImportForm,
      isForm: true,
      response: ImportedWire,
      handler: async ({ actor, body, request }) => {
        const options = fromImportForm(body, request.headers);
        const { agentIds, notes } = await memoir.agentFiles.import(
          actor,
          fromAgentFile(readAgentFile(body.file)),
          options,
        );
        return { agent_ids: [...agentIds], ...(notes.length > 0 ? { notes: [...notes] } : {}) };
      },
    }),
  ];
}

/** In the words that clients know. */
class LegacyRefusal extends Error {
  readonly statusCode = 400;

  constructor() {
    super("Legacy format is not supported");
  }
}

function write(portable: PortableAgents, skills: ExportAgentWire["skills"] = []): AgentFileWire {
  return toAgentFile(portable, { at: Date.now() * 1000, skills });
}

function fromExport({ conversation_id, scrub_messages }: ExportAgentWire) {
  const isNamed = conversation_id !== undefined && conversation_id !== "" && conversation_id !== "default";
  return { withoutMessages: scrub_messages ?? false, ...(isNamed ? { conversationId: conversation_id } : {}) };
}

type Headers = Readonly<Record<string, string | string[] | undefined>>;

function fromImportForm(form: ImportForm, headers: Headers): ImportOptions {
  const name = form.name ?? form.override_name;
  const model = form.model ?? form.override_model_handle;
  const embedding = form.embedding ?? form.override_embedding_handle ?? headerOf(headers, "x-override-embedding-model");
  const secrets = form.secrets ?? form.env_vars_json;
  const projectId = headerOf(headers, "x-project-id") ?? form.project_id;
  return {
    overrideTools: form.override_existing_tools ?? true,
    withoutMessages: form.strip_messages ?? false,
    ...((form.append_copy_suffix ?? true) ? { nameSuffix: "_copy" } : {}),
    ...(name === undefined ? {} : { name }),
    ...(model === undefined ? {} : { model }),
    ...(embedding === undefined ? {} : { embedding }),
    ...(secrets === undefined ? {} : { secrets: readSecrets(secrets) }),
    ...(projectId === undefined ? {} : { projectId }),
  };
}

function headerOf(headers: Headers, name: string): string | undefined {
  const value = headers[name];
  return (Array.isArray(value) ? value[0] : value) || undefined;
}

const Secrets = z.record(z.string(), z.string());

function readSecrets(text: string): Record<string, string> {
  try {
    return Secrets.parse(JSON.parse(text));
  } catch (error) {
    throw new MemoirError("invalid-argument", 'secrets must be a JSON object of texts, such as {"KEY": "value"}', {
      details: { field: "secrets" },
      cause: error,
    });
  }
}
