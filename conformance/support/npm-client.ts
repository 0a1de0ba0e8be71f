/**
 * The official npm client, pinned in conformance/clients. It is loaded from there when a test runs and described here as
 * far as tests use it, so that a checkout without it still type-checks.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type {
  AgentFilesWire,
  AgentWire,
  ArchiveWire,
  BlockWire,
  CompactedWire,
  ConversationWire,
  EmbeddingModelWire,
  FileWire,
  FolderWire,
  FoundPassagesWire,
  IdentityWire,
  McpServerWire,
  MessageWire,
  ModelWire,
  PassageHitWire,
  PassageWire,
  RunUsageWire,
  RunWire,
  SendResponseWire,
  StepMetricsWire,
  StepWire,
  ToolHitWire,
  ToolResultWire,
  ToolWire,
} from "@memoir/server/wire";
import type { TestContext } from "vitest";
import { whyMissing } from "./services.ts";

type Page<Item> = Promise<{ items: Item[] }> & AsyncIterable<Item>;
type Body = Readonly<Record<string, unknown>>;
/** Events as the client gives them, the last one aside. */
export type Stream = AsyncIterable<Record<string, unknown> & { message_type: string }>;
type OfAgent = Body & { agent_id: string };

export interface LettaClient {
  agents: {
    create(body: Body): Promise<AgentWire>;
    retrieve(id: string, query?: Body): Promise<AgentWire>;
    list(query?: Body): Page<AgentWire>;
    update(id: string, body: Body): Promise<AgentWire>;
    delete(id: string): Promise<unknown>;
    exportFile(id: string, query?: Body): Promise<unknown>;
    importFile(params: Body): Promise<{ agent_ids: string[] }>;
    blocks: {
      list(agentId: string, query?: Body): Page<BlockWire>;
      retrieve(label: string, params: OfAgent): Promise<BlockWire>;
      update(label: string, params: OfAgent): Promise<BlockWire>;
      attach(id: string, params: OfAgent): Promise<AgentWire>;
      detach(id: string, params: OfAgent): Promise<AgentWire>;
    };
    messages: {
      create(agentId: string, body: Body, options?: Body): Promise<SendResponseWire>;
      stream(agentId: string, body: Body): Promise<Stream>;
      list(agentId: string, query?: Body): Page<MessageWire>;
      reset(agentId: string, body: Body): Promise<AgentWire | null>;
      compact(agentId: string, body?: Body): Promise<CompactedWire>;
      createAsync(agentId: string, body: Body): Promise<RunWire>;
      cancel(agentId: string, body?: Body): Promise<Record<string, string>>;
    };
    recompile(agentId: string, params?: Body): Promise<string>;
    archives: {
      attach(id: string, params: OfAgent): Promise<unknown>;
      detach(id: string, params: OfAgent): Promise<unknown>;
    };
    passages: {
      create(agentId: string, body: Body): Promise<PassageWire[]>;
      list(agentId: string, query?: Body): Promise<PassageWire[]>;
      search(agentId: string, query: Body): Promise<FoundPassagesWire>;
      delete(id: string, params: OfAgent): Promise<unknown>;
    };
    tools: {
      list(agentId: string, query?: Body): Page<ToolWire>;
      attach(id: string, params: OfAgent): Promise<AgentWire | null>;
      detach(id: string, params: OfAgent): Promise<AgentWire | null>;
      updateApproval(name: string, params: Body): Promise<AgentWire | null>;
      run(name: string, params: OfAgent): Promise<ToolResultWire>;
    };
    identities: {
      attach(id: string, params: OfAgent): Promise<unknown>;
      detach(id: string, params: OfAgent): Promise<unknown>;
    };
    folders: {
      list(agentId: string, query?: Body): Page<FolderWire>;
      attach(id: string, params: OfAgent): Promise<AgentWire | null>;
      detach(id: string, params: OfAgent): Promise<AgentWire | null>;
    };
    files: {
      list(agentId: string, query?: Body): Page<AgentFilesWire["files"][number]>;
      open(id: string, params: OfAgent): Promise<string[]>;
      close(id: string, params: OfAgent): Promise<unknown>;
      closeAll(agentId: string): Promise<string[]>;
    };
  };
  folders: {
    create(body: Body): Promise<FolderWire>;
    retrieve(id: string): Promise<FolderWire>;
    update(id: string, body: Body): Promise<FolderWire>;
    list(query?: Body): Page<FolderWire>;
    delete(id: string): Promise<unknown>;
    agents: { list(id: string, query?: Body): Promise<string[]> };
    files: {
      list(id: string, query?: Body): Page<FileWire>;
      retrieve(id: string, params: Body): Promise<FileWire>;
      delete(id: string, params: Body): Promise<unknown>;
      upload(id: string, params: { file: File } & Body): Promise<FileWire>;
    };
  };
  mcpServers: {
    create(body: Body): Promise<McpServerWire>;
    retrieve(id: string): Promise<McpServerWire>;
    update(id: string, body: Body): Promise<McpServerWire>;
    list(): Promise<McpServerWire[]>;
    delete(id: string): Promise<unknown>;
    refresh(id: string, params?: Body): Promise<unknown>;
    tools: {
      list(id: string): Promise<ToolWire[]>;
      retrieve(id: string, params: Body): Promise<ToolWire>;
      run(id: string, params: Body): Promise<unknown>;
    };
  };
  archives: {
    create(body: Body): Promise<ArchiveWire>;
    retrieve(id: string): Promise<ArchiveWire>;
    update(id: string, body: Body): Promise<ArchiveWire>;
    list(query?: Body): Page<ArchiveWire>;
    delete(id: string): Promise<unknown>;
    passages: {
      create(archiveId: string, body: Body): Promise<PassageWire>;
      createMany(archiveId: string, body: Body): Promise<PassageWire[]>;
      delete(id: string, params: Body): Promise<unknown>;
    };
  };
  passages: { search(body: Body): Promise<PassageHitWire[]> };
  tools: {
    create(body: Body): Promise<ToolWire>;
    upsert(body: Body): Promise<ToolWire>;
    retrieve(id: string): Promise<ToolWire>;
    update(id: string, body: Body): Promise<ToolWire>;
    list(query?: Body): Page<ToolWire>;
    search(body: Body): Promise<ToolHitWire[]>;
    delete(id: string): Promise<unknown>;
  };
  blocks: {
    create(body: Body): Promise<BlockWire>;
    retrieve(id: string): Promise<BlockWire>;
    list(query?: Body): Page<BlockWire>;
    update(id: string, body: Body): Promise<BlockWire>;
    delete(id: string): Promise<unknown>;
    agents: { list(blockId: string, query?: Body): Page<AgentWire> };
  };
  conversations: {
    create(params: OfAgent): Promise<ConversationWire>;
    retrieve(id: string): Promise<ConversationWire>;
    update(id: string, body: Body): Promise<ConversationWire>;
    list(query?: Body): Promise<ConversationWire[]>;
    delete(id: string): Promise<unknown>;
    fork(id: string, params?: Body): Promise<ConversationWire>;
    cancel(id: string, params?: Body): Promise<Record<string, string>>;
    recompile(id: string, params?: Body): Promise<string>;
    messages: {
      stream(conversationId: string, body?: Body): Promise<Stream>;
      list(id: string, query?: Body): Page<MessageWire>;
      compact(id: string, body?: Body): Promise<CompactedWire>;
    };
  };
  messages: {
    list(query?: Body): Promise<MessageWire[]>;
    retrieve(id: string): Promise<MessageWire[]>;
    search(body: Body): Promise<{ message_id: string; message_type: string; agent_id: string; content?: unknown }[]>;
  };
  runs: {
    list(query?: Body): Page<RunWire>;
    retrieve(id: string): Promise<RunWire>;
    messages: {
      list(id: string, query?: Body): Page<MessageWire>;
      stream(id: string, body?: Body): Promise<Stream>;
    };
    trace: { retrieve(id: string): Promise<unknown> };
    steps: { list(id: string, query?: Body): Page<StepWire> };
    usage: { retrieve(id: string): Promise<RunUsageWire> };
  };
  steps: {
    list(query?: Body): Page<StepWire>;
    retrieve(id: string): Promise<StepWire>;
    feedback: { create(id: string, body: Body): Promise<StepWire> };
    messages: { list(id: string, query?: Body): Page<MessageWire> };
    metrics: { retrieve(id: string): Promise<StepMetricsWire> };
    trace: { retrieve(id: string): Promise<Record<string, unknown> | null> };
  };
  models: {
    list(query?: Body): Promise<ModelWire[]>;
    embeddings: { list(): Promise<EmbeddingModelWire[]> };
  };
  tags: { list(query?: Body): Promise<string[]> };
  health(): Promise<{ status: string; version: string }>;
  get<Answer = IdentityWire>(path: string, options?: { query?: Body }): Promise<Answer>;
  post<Answer = IdentityWire>(path: string, options?: { body: Body; stream?: boolean }): Promise<Answer>;
  put<Answer = IdentityWire>(path: string, options?: { body: unknown }): Promise<Answer>;
  patch<Answer = IdentityWire>(path: string, options?: { body: Body }): Promise<Answer>;
  delete<Answer = unknown>(path: string): Promise<Answer>;
}

export interface ApiError extends Error {
  status: number;
  /** The parsed body of the answer. */
  error: { detail: string; error?: { type: string; message: string; detail: string } };
}

type ErrorClass = new (...words: never[]) => ApiError;

export interface LettaModule {
  default: (new (
    options: Body,
  ) => LettaClient) & {
    NotFoundError: ErrorClass;
    ConflictError: ErrorClass;
    BadRequestError: ErrorClass;
    UnprocessableEntityError: ErrorClass;
    AuthenticationError: ErrorClass;
    RateLimitError: ErrorClass;
    InternalServerError: ErrorClass;
  };
}

const entry = join(import.meta.dirname, "..", "clients", "node_modules", "@letta-ai", "letta-client", "index.mjs");

/** Skips the test where the client could not be fetched. */
export async function loadClient(context: TestContext): Promise<LettaModule["default"]> {
  context.skip(!existsSync(entry), whyMissing("npm-clients"));
  const { default: Letta }: LettaModule = await import(/* @vite-ignore */ pathToFileURL(entry).href);
  return Letta;
}
