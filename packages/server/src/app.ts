/** The HTTP server: routes, validation, errors, the page and the reference. */
import { existsSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { join } from "node:path";
import cors from "@fastify/cors";
import type { Memoir } from "@memoir/core";
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest, LogController } from "fastify";
import type { Logger } from "pino";
import { authenticate } from "./authenticate.ts";
import { parseJsonBody } from "./body.ts";
import type { FoundProvider } from "./detect-providers.ts";
import { answerBrokenHttp, answerError, type ErrorAnswer } from "./errors.ts";
import { parseForm } from "./form.ts";
import { answerUnserved } from "./letta/internal/unserved-prefixes.ts";
import { noticeHeader } from "./letta/shared/notices.ts";
import type { ToolGateway } from "./letta/tools/tool-gateway.ts";
import { defaultRequestTimeout, maxBodyBytes } from "./limits.ts";
import { createLoginThrottle } from "./login-throttle.ts";
import { leadOpenAiClients, openAiBase, toOpenAiError } from "./openai/clients.ts";
import { createOpenApi } from "./openapi.ts";
import { registerPages } from "./pages.ts";
import { pathOf, registerRoute } from "./register-route.ts";
import { addSecurityHeaders, checkHosts } from "./request-guards.ts";
import { readRequestId } from "./request-id.ts";
import type { Method, Route } from "./route.ts";
import { listRoutes } from "./route-list.ts";
import { openRequestSpans } from "./telemetry/request-spans.ts";
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
  /** Seconds within which a request has to arrive, its body included. */
  readonly requestTimeout?: number;
  /** Set where anyone on this machine is let in: names besides localhost by which this server may be called. */
  readonly ownHosts?: readonly string[];
  /** Folder of the built page; without it there is no page. */
  readonly webRoot?: string;
  readonly allowedOrigins?: readonly string[];
  /** A message to a conversation that is busy is refused in place of waiting, where the old server did so. */
  readonly refusesBusy?: boolean;
  /** Values of secrets can be read back; without it answers hold a mask. */
  readonly showsSecrets?: boolean;
  /** How tools at work ask this server. */
  readonly doors?: ToolGateway;
  readonly findProviders: () => Promise<FoundProvider[]>;
  /** Checks every answer against its schema, as the tests do. */
  readonly checkResponses?: boolean;
}

declare module "fastify" {
  interface FastifyInstance {
    /** Aborted when the server begins to close. */
    readonly leaving: AbortSignal;
  }
}

/** The old server does not serve its admin paths under this name. */
const latestPrefix = /^\/latest\/(?!admin(\/|\?|$))/;

const defaultOrigins = [
  "http://letta.localhost",
  "http://localhost:8283",
  "http://localhost:8083",
  "http://localhost:3000",
  "http://localhost:4200",
  "https://app.letta.com",
];

export async function createApp(options: AppOptions): Promise<FastifyInstance> {
  const requestMs = (options.requestTimeout ?? defaultRequestTimeout) * 1_000;
  const app = Fastify({
    loggerInstance: options.log,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: "request" }),
    bodyLimit: maxBodyBytes,
    requestIdHeader: false,
    genReqId: readRequestId,
    requestTimeout: requestMs,
    // Node takes the longer of the two for the whole request, and looks for late ones at an interval.
    http: {
      requestTimeout: requestMs,
      headersTimeout: Math.min(60_000, requestMs),
      connectionsCheckingInterval: Math.min(30_000, requestMs),
    },
    return503OnClosing: true,
    forceCloseConnections: "idle",
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 2000 },
    clientErrorHandler: answerBrokenHttp,
    frameworkErrors: (error, _request, reply) => sendError(reply as FastifyReply, answerError(error)),
    rewriteUrl: (request) => leadOpenAiClients((request.url ?? "/").replace(latestPrefix, "/v1/"), request),
  }) as unknown as FastifyInstance;
  await app.register(cors, {
    origin: [...defaultOrigins, ...(options.allowedOrigins ?? [])],
    credentials: true,
    exposedHeaders: [noticeHeader],
    methods: ["GET", "POST", "PUT", "PATCH", "DELETE"],
  });
  acceptBodies(app);
  openRequestSpans(app);
  logRequests(app);
  releaseConnections(app);
  const throttle = createLoginThrottle();
  const routes = listRoutes({ ...options, throttle });
  answerFailures(app, routes);
  if (options.ownHosts) checkHosts(app, options.ownHosts, [...defaultOrigins, ...(options.allowedOrigins ?? [])]);
  addSecurityHeaders(app);
  options.doors?.lead(app);
  authenticate(app, { ...options, throttle }, routes);
  for (const route of routes) registerRoute(app, route, options);
  answerUnserved(app);
  app.get(
    "/openapi.json",
    lazily(() => createOpenApi(routes)),
  );
  if (options.webRoot && existsSync(join(options.webRoot, "index.html"))) await registerPages(app, options.webRoot);
  return app as FastifyInstance;
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

/**
 * An answer given while closing ends its connection, which would else be kept open for the next request and waited for. So
 * would be, for ever, those that browsers and clients open in advance, and those on which half a request was said.
 */
function releaseConnections(app: FastifyInstance): void {
  const leaving = new AbortController();
  const sockets = new Set<Socket>();
  const underWay = new Set<IncomingMessage>();
  app.server.on("connection", (socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  app.server.on("request", (request, response) => {
    underWay.add(request);
    response.once("close", () => underWay.delete(request));
  });
  app.decorate("leaving", leaving.signal);
  app.addHook("preClose", async () => {
    leaving.abort();
    const used = new Set([...underWay].map(({ socket }) => socket));
    for (const socket of sockets) if (!used.has(socket)) socket.destroy();
  });
  app.addHook("onSend", async (_request, reply) => {
    if (leaving.signal.aborted) reply.header("connection", "close");
  });
}

function answerFailures(app: FastifyInstance, routes: readonly Route[]): void {
  app.setErrorHandler(async (error, request, reply) => {
    const answer = answerError(error);
    request.span?.fail(error);
    if (answer.isUnexpected)
      request.log.error({ err: error, method: request.method, url: pathOf(request.url) }, "request failed");
    const isOpenAi = request.url.startsWith(`${openAiBase}/`);
    return sendError(reply, isOpenAi ? toOpenAiError(error, answer) : answer);
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
