/** The page at `/` and the API reference at `/docs`, both from files built with us: nothing is fetched from elsewhere. */
import fastifyStatic from "@fastify/static";
import type { FastifyInstance, FastifyReply } from "fastify";

const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

export async function registerPages(app: FastifyInstance, webRoot: string): Promise<void> {
  await app.register(fastifyStatic, { root: webRoot, serve: false });
  const page = (file: string) => async (_request: unknown, reply: FastifyReply) =>
    guard(reply).header("cache-control", "no-cache").sendFile(file, { cacheControl: false });
  app.get("/", page("index.html"));
  app.get("/docs", page("reference/index.html"));
  app.get("/redoc", page("reference/index.html"));
  app.get("/reference/scalar.js", page("reference/scalar.js"));
  app.get("/favicon.svg", page("favicon.svg"));
  app.get<{ Params: { "*": string } }>("/assets/*", async (request, reply) =>
    guard(reply).sendFile(`assets/${request.params["*"]}`, { maxAge: "1y", immutable: true }),
  );
}

function guard(reply: FastifyReply): FastifyReply {
  return reply
    .header("content-security-policy", policy)
    .header("x-content-type-options", "nosniff")
    .header("referrer-policy", "no-referrer");
}
