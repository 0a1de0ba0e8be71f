/** Puts a row of the route table to work: checks what was asked and by whom, hands it over, writes the answer. */
import type { Memoir } from "@memoir/core";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { isChange, rejectByRole, rejectByScope } from "./authorize.ts";
import { cleanText } from "./body.ts";
import { type Caller, isCurrentClient } from "./caller.ts";
import { takeBody } from "./form.ts";
import type { Route } from "./route.ts";
import { parseInput } from "./validation.ts";

export interface HandleOptions {
  readonly memoir: Memoir;
  readonly password?: string | undefined;
  /** Checks every answer against its schema, as the tests do. */
  readonly checkResponses?: boolean | undefined;
}

export function registerRoute(app: FastifyInstance, route: Route, options: HandleOptions): void {
  app.route({
    method: route.method,
    url: route.path.replaceAll(/\{(\w+)\}/g, ":$1"),
    handler: async (request, reply) => {
      const payload = await (request.span
        ? request.span.within(() => callHandler(route, options, request, reply))
        : callHandler(route, options, request, reply));
      // A stream has written its answer itself.
      if (reply.sent) return reply;
      if (options.checkResponses) route.response.parse(payload);
      // Written here and not by Fastify, which sends nothing for null; a 204 keeps its type only without a payload.
      return reply
        .code(route.status ?? 200)
        .type("application/json")
        .send(route.status === 204 ? undefined : JSON.stringify(payload, null, route.isIndented ? 2 : undefined));
    },
  });
}

async function callHandler(
  route: Route,
  { memoir, password }: HandleOptions,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<unknown> {
  // Open routes are answered whoever asks.
  const caller = request.caller ?? { actor: memoir.defaultActor, role: "reader", isAdmin: false, key: undefined };
  rejectByRole(route, caller);
  const input = takeBody(request.body, route);
  const body = route.isBodyOptional ? (input ?? {}) : input;
  const params = route.params ? parseInput(route.params, cleanTexts(request.params), "path") : {};
  const query = route.query ? parseInput(route.query, cleanTexts(request.query), "query") : {};
  const asked = { params: cleanTexts(request.params), query: cleanTexts(request.query), body };
  if (caller.key) await rejectByScope(memoir, route, caller, asked);
  const isLoggedIn = caller.key !== undefined || password !== undefined;
  if (isLoggedIn && isChange(route)) noteChange(memoir, route, caller, request);
  return await route.handler({
    params,
    query,
    body: route.body ? parseInput(route.body, body, "body") : undefined,
    actor: caller.actor,
    caller,
    isCurrentClient: isCurrentClient(request),
    request,
    reply,
  });
}

function noteChange(memoir: Memoir, route: Route, { actor, key }: Caller, request: FastifyRequest): void {
  const detail = { method: route.method, request: request.id };
  memoir.audit.note(actor, { action: route.operationId, target: pathOf(request.url), keyId: key?.id ?? null, detail });
}

function cleanTexts(values: unknown): Record<string, unknown> {
  const clean = (value: unknown): unknown =>
    typeof value === "string" ? cleanText(value) : Array.isArray(value) ? value.map(clean) : value;
  return Object.fromEntries(Object.entries(values ?? {}).map(([key, value]) => [key, clean(value)]));
}

/** Query texts may hold anything; only the path is logged. */
export function pathOf(url: string): string {
  const end = url.indexOf("?");
  return end === -1 ? url : url.slice(0, end);
}
