/**
 * The official npm client, pinned in conformance/clients. It is loaded from there when a test runs and described here as
 * far as tests use it, so that a checkout without it still type-checks.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type {
  AgentWire,
  BlockWire,
  CompactedWire,
  ConversationWire,
  EmbeddingModelWire,
  IdentityWire,
  MessageWire,
  ModelWire,
  SendResponseWire,
} from "@memoir/server/wire";
import type { TestContext } from "vitest";
import { whyMissing } from "./services.ts";

type Page<Item> = Promise<{ items: Item[] }> & AsyncIterable<Item>;
type Body = Readonly<Record<string, unknown>>;
type OfAgent = Body & { agent_id: string };

export interface LettaClient {
  agents: {
    create(body: Body): Promise<AgentWire>;
    retrieve(id: string, query?: Body): Promise<AgentWire>;
    list(query?: Body): Page<AgentWire>;
    update(id: string, body: Body): Promise<AgentWire>;
    delete(id: string): Promise<unknown>;
    blocks: {
      list(agentId: string, query?: Body): Page<BlockWire>;
      retrieve(label: string, params: OfAgent): Promise<BlockWire>;
      update(label: string, params: OfAgent): Promise<BlockWire>;
      attach(id: string, params: OfAgent): Promise<AgentWire>;
      detach(id: string, params: OfAgent): Promise<AgentWire>;
    };
    messages: {
      create(agentId: string, body: Body, options?: Body): Promise<SendResponseWire>;
      list(agentId: string, query?: Body): Page<MessageWire>;
      reset(agentId: string, body: Body): Promise<AgentWire | null>;
      compact(agentId: string, body?: Body): Promise<CompactedWire>;
    };
    recompile(agentId: string, params?: Body): Promise<string>;
    identities: {
      attach(id: string, params: OfAgent): Promise<unknown>;
      detach(id: string, params: OfAgent): Promise<unknown>;
    };
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
      list(id: string, query?: Body): Page<MessageWire>;
      compact(id: string, body?: Body): Promise<CompactedWire>;
    };
  };
  models: {
    list(query?: Body): Promise<ModelWire[]>;
    embeddings: { list(): Promise<EmbeddingModelWire[]> };
  };
  tags: { list(query?: Body): Promise<string[]> };
  health(): Promise<{ status: string; version: string }>;
  get<Answer = IdentityWire>(path: string, options?: { query?: Body }): Promise<Answer>;
  post<Answer = IdentityWire>(path: string, options?: { body: Body }): Promise<Answer>;
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

const entry = join(import.meta.dirname, "clients", "node_modules", "@letta-ai", "letta-client", "index.mjs");

/** Skips the test where the client could not be fetched. */
export async function loadClient(context: TestContext): Promise<LettaModule["default"]> {
  context.skip(!existsSync(entry), whyMissing("npm-clients"));
  const { default: Letta }: LettaModule = await import(/* @vite-ignore */ pathToFileURL(entry).href);
  return Letta;
}
