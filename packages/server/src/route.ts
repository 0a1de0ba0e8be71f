/**
 * One table row per operation: what it takes, what it answers, who handles it. Registration, validation and the OpenAPI
 * document all read the same row.
 */
import type { Actor } from "@memoir/core";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { z } from "zod";
import type { Caller } from "./caller.ts";

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** Who may call an operation: everyone; any key; members and owners; owners; the holder of the password. */
export const accessLevels = ["open", "read", "member", "owner", "admin"] as const;
export type Access = (typeof accessLevels)[number];

/**
 * How an operation names the agent it is about, which decides what a key for one agent or one conversation may call.
 * - `none`: not about one agent, or changes what the agent is. Such keys are refused.
 * - `agent`, `conversation`, `run`, `step`, `message`, `approval`: named by the path parameter `<scope>_id`.
 * - `model`: the agent's id is `model`, in the path or the body.
 * - `agent-list`: a list whose handler leaves out every agent but the key's.
 */
export const keyScopes = [
  "none",
  "agent",
  "conversation",
  "run",
  "step",
  "message",
  "approval",
  "model",
  "agent-list",
] as const;
export type KeyScope = (typeof keyScopes)[number];

/**
 * Whether a key for one agent or conversation may send a field of the body.
 * - `free`: yes.
 * - `overrides`: replaces the agent's instructions, model or tools; only with the permission of that name.
 * - `messages`, `answers`: yes, but messages in another role than the user's, and edited arguments of a call, need `overrides`.
 * - `refused`: no.
 */
export type FieldRule = "free" | "overrides" | "messages" | "answers" | "refused";

/** One rule for each field: a field that is added to a body does not compile without. */
export type FieldRules<B> = { readonly [K in keyof B]-?: FieldRule };

export interface RouteInput<P, Q, B> {
  readonly params: P;
  readonly query: Q;
  readonly body: B;
  readonly actor: Actor;
  readonly caller: Caller;
  /** The caller is a client of the current generation, which wants relations only where it asks for them. */
  readonly isCurrentClient: boolean;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

export interface Route<P = unknown, Q = unknown, B = unknown, R = unknown> {
  readonly method: Method;
  /** As documented: `/v1/agents/{agent_id}`. */
  readonly path: string;
  readonly operationId: string;
  readonly summary: string;
  readonly tag: string;
  readonly isDeprecated?: boolean;
  readonly access: Access;
  readonly scope: KeyScope;
  readonly params?: z.ZodType<P>;
  readonly query?: z.ZodType<Q>;
  readonly body?: z.ZodType<B>;
  /** For keys of one agent or conversation; without, such keys can send no fields. */
  readonly scopedFields?: FieldRules<NoInfer<B>>;
  readonly isBodyOptional?: boolean;
  /** Takes a multipart form in place of JSON; `body` is what its fields must be. */
  readonly isForm?: boolean;
  /** Answers in JSON that people can read, too. */
  readonly isIndented?: boolean;
  readonly status?: number;
  readonly response: z.ZodType<R>;
  readonly handler: (input: RouteInput<P, Q, B>) => Promise<R>;
}

/** Checks the row's parts against each other and forgets the types, so that rows of all kinds fit one list. */
export function defineRoute<P = unknown, Q = unknown, B = unknown, R = unknown>(route: Route<P, Q, B, R>): Route {
  return route as unknown as Route;
}
