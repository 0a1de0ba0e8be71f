/** The HTTP server: routes, validation, errors, the page and the reference. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import cors from "@fastify/cors";
import type { Memoir } from "@memoir/core";
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest, LogController } from "fastify";
import type { Logger } from "pino";
import { identify, isReading, refuseByRole, refuseByScope } from "./access.ts";
import { type Caller, isCurrentClient } from "./auth.ts";
import { cleanText, parseJsonBody } from "./body.ts";
import { addSecurityHeaders, checkHosts, createRateLimit } from "./doors.ts";
import { answerBrokenHttp, answerError, type ErrorAnswer } from "./errors.ts";
import { parseForm, takeBody } from "./form.ts";
import { authRoutes } from "./letta/admin/auth-routes.ts";
import { adminRoutes } from "./letta/admin/routes.ts";
import { agentFileRoutes } from "./letta/agent-files/routes.ts";
import { agentRoutes } from "./letta/agents/routes.ts";
import { archiveRoutes } from "./letta/archives/routes.ts";
import { batchRoutes } from "./letta/batches/routes.ts";
import { blockRoutes } from "./letta/blocks/routes.ts";
import { completionRoutes } from "./letta/completions/routes.ts";
import { contextRoutes } from "./letta/context/routes.ts";
import { agentConversationRoutes } from "./letta/conversations/agent-routes.ts";
import { conversationRoutes } from "./letta/conversations/routes.ts";
import { agentFolderRoutes } from "./letta/folders/agent-routes.ts";
import { folderRoutes } from "./letta/folders/routes.ts";
import { groupRoutes } from "./letta/groups/routes.ts";
import { healthRoutes } from "./letta/health/routes.ts";
import { identityRoutes } from "./letta/identities/routes.ts";
import { internalAgentRoutes, internalBlockRoutes } from "./letta/internal/agent-routes.ts";
import { internalSearchRoutes } from "./letta/internal/search-routes.ts";
import { stepTransactionRoutes } from "./letta/internal/step-routes.ts";
import { templateRoutes } from "./letta/internal/template-routes.ts";
import { unservedRoutes } from "./letta/internal/unserved-routes.ts";
import { jobRoutes } from "./letta/jobs/routes.ts";
import { olderMcpRoutes } from "./letta/mcp/older-routes.ts";
import { mcpServerRoutes } from "./letta/mcp/routes.ts";
import { allMessageRoutes } from "./letta/messages/all-routes.ts";
import { messageRequestRoutes } from "./letta/messages/request-routes.ts";
import { messageRoutes } from "./letta/messages/routes.ts";
import { modelRoutes } from "./letta/models/routes.ts";
import { passageRoutes } from "./letta/passages/routes.ts";
import { providerRoutes } from "./letta/providers/routes.ts";
import { runRoutes } from "./letta/runs/routes.ts";
import { sandboxRoutes } from "./letta/sandbox/routes.ts";
import { stepRoutes } from "./letta/steps/routes.ts";
import { tagRoutes } from "./letta/tags/routes.ts";
import { agentToolRoutes } from "./letta/tools/agent-routes.ts";
import { toolRoutes } from "./letta/tools/routes.ts";
import { traceRoutes } from "./letta/traces/routes.ts";
import { historyRoutes } from "./memoir/history/routes.ts";
import { keyRoutes } from "./memoir/keys/routes.ts";
import { repairRoutes } from "./memoir/repair/routes.ts";
import { statusRoutes } from "./memoir/status.ts";
import { stepTraceRoutes } from "./memoir/traces/routes.ts";
import { createOpenApi } from "./openapi.ts";
import { registerPages } from "./pages.ts";
import type { FoundProvider } from "./providers-found.ts";
import type { Method, Route } from "./route.ts";
import { parseInput } from "./validation.ts";
import { ValidationError } from "./validation-error.ts";

export interface AppOptions {
  readonly memoir: Memoir;
  readonly log: Logger;
  /** When set, every path but the open ones needs it, or a key. */
  readonly password?: string;
  /** Every path but the open ones needs a key, also without a password. */
  readonly needsKey?: boolean;
  /** Requests a minute for each key, or address where there are no keys. */
  readonly rateLimit?: number;
  /** Set where anyone on this machine is let in: names besides localhost by which this server may be called. */
  readonly ownHosts?: readonly string[];
  /** Folder of the built page; without it there is no page. */
  readonly webRoot?: string;
  readonly allowedOrigins?: readonly string[];
  readonly findProviders: () => Promise<FoundProvider[]>;
  /** Checks every answer against its schema, as the tests do. */
  readonly checkResponses?: boolean;
}

declare module "fastify" {
  interface FastifyInstance {
    /** Aborted when the server begins to close. */
    readonly leaving: AbortSignal;
  }
  interface FastifyRequest {
    /** Set before the handler of any route that is not open. */
    caller?: Caller;
  }
}

const bodyLimit = 32 * 1024 * 1024;

const usualOrigins = [
  "http://letta.localhost",
  "http://localhost:8283",
  "http://localhost:8083",
  "http://localhost:3000",
  "http://localhost:4200",
  "https://app.letta.com",
];

export async function createApp(options: AppOptions): Promise<FastifyInstance> {
  const app = Fastify({
    loggerInstance: options.log,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: "request" }),
    bodyLimit,
    requestIdHeader: "x-request-id",
    genReqId: () => crypto.randomUUID(),
    return503OnClosing: true,
    forceCloseConnections: "idle",
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 2000 },
    clientErrorHandler: answerBrokenHttp,
    frameworkErrors: (error, _request, reply) => sendError(reply as FastifyReply, answerError(error)),
    rewriteUrl: (request) => (request.url ?? "/").replace(/^\/latest\//, "/v1/"),
  }) as unknown as FastifyInstance;
  await app.register(cors, {
    origin: [...usualOrigins, ...(options.allowedOrigins ?? [])],
    credentials: true,
    methods: ["GET", "POST", "PUT", "PATCH", "DELETE"],
  });
  acceptBodies(app);
  logRequests(app);
  releaseConnections(app);
  const routes = listRoutes(options);
  answerFailures(app, routes);
  if (options.ownHosts) checkHosts(app, options.ownHosts, [...usualOrigins, ...(options.allowedOrigins ?? [])]);
  addSecurityHeaders(app);
  authenticate(app, options, routes);
  for (const route of routes) registerRoute(app, route, options);
  app.get(
    "/openapi.json",
    lazily(() => createOpenApi(routes)),
  );
  if (options.webRoot && existsSync(join(options.webRoot, "index.html"))) await registerPages(app, options.webRoot);
  return app as FastifyInstance;
}

type RouteOptions = Pick<AppOptions, "memoir" | "findProviders" | "password" | "needsKey">;

export function listRoutes({ memoir, findProviders, ...access }: RouteOptions): Route[] {
  return [
    ...healthRoutes(memoir),
    ...agentRoutes(memoir),
    ...agentFileRoutes(memoir),
    ...messageRoutes(memoir),
    ...messageRequestRoutes(memoir),
    ...allMessageRoutes(memoir),
    ...batchRoutes(memoir),
    ...completionRoutes(memoir),
    ...runRoutes(memoir),
    ...stepRoutes(memoir),
    ...jobRoutes(memoir),
    ...conversationRoutes(memoir),
    ...agentConversationRoutes(memoir),
    ...contextRoutes(memoir),
    ...blockRoutes(memoir),
    ...toolRoutes(memoir),
    ...agentToolRoutes(memoir),
    ...archiveRoutes(memoir),
    ...passageRoutes(memoir),
    ...identityRoutes(memoir),
    ...folderRoutes(memoir),
    ...agentFolderRoutes(memoir),
    ...groupRoutes(memoir),
    ...mcpServerRoutes(memoir),
    ...olderMcpRoutes(memoir),
    ...sandboxRoutes(memoir),
    ...internalAgentRoutes(memoir),
    ...internalBlockRoutes(memoir),
    ...templateRoutes(memoir),
    ...internalSearchRoutes(),
    ...unservedRoutes(memoir),
    ...stepTransactionRoutes(memoir),
    ...adminRoutes(memoir),
    ...authRoutes(access),
    ...tagRoutes(memoir),
    ...modelRoutes(memoir),
    ...providerRoutes(memoir),
    ...traceRoutes(memoir),
    ...historyRoutes(memoir),
    ...stepTraceRoutes(memoir),
    ...repairRoutes(memoir),
    ...keyRoutes(memoir),
    ...statusRoutes(memoir, findProviders),
  ];
}

/** Made at the first request, kept as text. */
function lazily(make: () => unknown) {
  let text: string | undefined;
  return async (_request: FastifyRequest, reply: FastifyReply) => {
    text ??= JSON.stringify(make());
    return reply.type("application/json").send(text);
  };
}

/** Nothing but JSON is read as JSON, and forms only where a route takes one: web pages elsewhere can send both. */
function acceptBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("application/json", { parseAs: "string" }, async (_request: FastifyRequest, body: string) =>
    parseJsonBody(body),
  );
  app.addContentTypeParser(
    "multipart/form-data",
    { parseAs: "buffer" },
    async ({ headers }: FastifyRequest, body: Buffer) => parseForm(body, headers["content-type"] ?? ""),
  );
  app.addContentTypeParser("*", { parseAs: "string" }, async (_request: FastifyRequest, body: string) => {
    if (body === "") return undefined;
    const msg = "Input should be JSON, sent with the header Content-Type: application/json";
    throw new ValidationError([{ type: "content_type", loc: ["body"], msg, input: null }]);
  });
}

function logRequests(app: FastifyInstance): void {
  app.addHook("onSend", async (request, reply) => {
    reply.header("x-request-id", request.id);
  });
  app.addHook("onResponse", async (request, reply) => {
    const { statusCode, elapsedTime } = reply;
    const fields = {
      method: request.method,
      url: pathOf(request.url),
      status: statusCode,
      ms: Math.round(elapsedTime),
    };
    request.log.info(fields, "request");
  });
}

/** An answer given while closing ends its connection, which would else be kept open for the next request and waited for. */
function releaseConnections(app: FastifyInstance): void {
  const leaving = new AbortController();
  app.decorate("leaving", leaving.signal);
  app.addHook("preClose", async () => leaving.abort());
  app.addHook("onSend", async (_request, reply) => {
    if (leaving.signal.aborted) reply.header("connection", "close");
  });
}

/** Query texts may hold anything; only the path is logged. */
function pathOf(url: string): string {
  const end = url.indexOf("?");
  return end === -1 ? url : url.slice(0, end);
}

/**
 * Everything but the open routes and the page needs a caller. Asks which route was matched, not how the address was
 * spelled: /%761/agents/ is a way of writing /v1/agents/. An address that is none is refused like the others.
 */
function authenticate(app: FastifyInstance, options: AppOptions, routes: readonly Route[]): void {
  const open = new Set(routes.filter(({ isOpen }) => isOpen).map(({ path }) => path));
  // The page asks for the password itself, so its files must be reachable without.
  const isPublic = (pattern: string | undefined) =>
    pattern !== undefined && (open.has(pattern) || !pattern.startsWith("/v1/"));
  const needsLogin = options.password !== undefined || options.needsKey === true;
  const limit = options.rateLimit === undefined ? undefined : createRateLimit(options.rateLimit);
  app.decorateRequest("caller");
  app.addHook("onRequest", async (request, reply) => {
    const pattern = request.routeOptions.url;
    if (request.method === "OPTIONS" || isPublic(pattern) || (pattern === undefined && !needsLogin)) return;
    const caller = await identify(options, request);
    if (!caller) {
      // Whoever tries keys is counted too.
      limit?.take(request.ip);
      return reply
        .code(401)
        .type("application/json")
        .send(JSON.stringify({ detail: "Unauthorized" }));
    }
    limit?.take(caller.key?.id ?? request.ip);
    request.caller = caller;
  });
}

function registerRoute(app: FastifyInstance, route: Route, options: AppOptions): void {
  app.route({
    method: route.method,
    url: route.path.replaceAll(/\{(\w+)\}/g, ":$1"),
    handler: async (request, reply) => {
      const payload = await callHandler(route, options.memoir, request, reply);
      // A stream has written its answer itself.
      if (reply.sent) return reply;
      if (options.checkResponses) route.response.parse(payload);
      // Written here and not by Fastify, which sends nothing for null.
      return reply
        .code(route.status ?? 200)
        .type("application/json")
        .send(route.status === 204 ? "" : JSON.stringify(payload, null, route.isIndented ? 2 : undefined));
    },
  });
}

async function callHandler(
  route: Route,
  memoir: Memoir,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<unknown> {
  // Open routes are answered whoever asks.
  const caller = request.caller ?? { actor: memoir.defaultActor, role: "reader", isAdmin: false, key: undefined };
  if (!route.isOpen) refuseByRole(route, caller);
  const given = takeBody(request.body, route);
  const body = route.isBodyOptional ? (given ?? {}) : given;
  const params = route.params ? parseInput(route.params, cleanTexts(request.params), "path") : {};
  const query = route.query ? parseInput(route.query, cleanTexts(request.query), "query") : {};
  const asked = { params: cleanTexts(request.params), query: cleanTexts(request.query), body };
  if (caller.key) await refuseByScope(memoir, route, caller, asked);
  if (caller.key && !isReading(route)) noteChange(memoir, route, caller, request);
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

function answerFailures(app: FastifyInstance, routes: readonly Route[]): void {
  app.setErrorHandler(async (error, request, reply) => {
    const answer = answerError(error);
    if (answer.isUnexpected)
      request.log.error({ err: error, method: request.method, url: pathOf(request.url) }, "request failed");
    return sendError(reply, answer);
  });
  const patterns = routes.map(({ method, path }) => ({ method, pattern: patternOf(path) }));
  app.setNotFoundHandler(async (request, reply) => {
    const path = pathOf(request.url);
    const allowed: Method[] = patterns.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method);
    if (allowed.length > 0) reply.header("allow", [...new Set(allowed)].join(", "));
    const [status, detail] = allowed.length > 0 ? [405, "Method Not Allowed"] : [404, "Not Found"];
    return reply
      .code(status as number)
      .type("application/json")
      .send(JSON.stringify({ detail }));
  });
}

function sendError(reply: FastifyReply, { status, body, headers = {} }: ErrorAnswer): FastifyReply {
  return reply.code(status).headers(headers).type("application/json").send(JSON.stringify(body));
}

function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replace(/\/$/, "").replaceAll(/\{\w+\}/g, "[^/]+")}/?$`);
}
