/**
 * `fetch` over connections whose names are looked up by the given function, and by nothing else: what was checked is what
 * is connected to, also on a connection that is used again. Follows no redirects.
 */
import { Agent, type IncomingMessage, request as requestHttp } from "node:http";
import { request as requestHttps, Agent as SecureAgent } from "node:https";
import type { LookupFunction } from "node:net";
import { pipeline, Readable, type Transform } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";

export function createPinnedFetch(lookup: LookupFunction): typeof fetch {
  const options = { keepAlive: true, lookup };
  const agents = { http: new Agent(options), https: new SecureAgent(options) };
  return async (input, init) => {
    const request = new Request(input, init);
    const body = Buffer.from(await request.arrayBuffer());
    return toResponse(await send(request, body, agents));
  };
}

interface Agents {
  readonly http: Agent;
  readonly https: SecureAgent;
}

function send({ url, method, headers, signal }: Request, body: Buffer, agents: Agents): Promise<IncomingMessage> {
  const isSecure = url.startsWith("https:");
  const make = isSecure ? requestHttps : requestHttp;
  return new Promise((resolve, reject) => {
    const sent = make(
      url,
      {
        method,
        headers: {
          ...Object.fromEntries(headers),
          "accept-encoding": "identity",
          ...(body.length > 0 ? { "content-length": body.length } : {}),
        },
        agent: isSecure ? agents.https : agents.http,
        signal,
      },
      resolve,
    );
    sent.on("error", reject);
    // An answer that changes the protocol is hung up on, and that is no error to Node.
    sent.on("close", () => reject(new Error("the connection ended without an answer")));
    sent.end(body);
  });
}

const bodyless: ReadonlySet<number> = new Set([204, 205, 304]);
/** Some servers pack what they were asked not to. */
const unpackers: ReadonlyMap<string, () => Transform> = new Map<string, () => Transform>([
  ["gzip", createGunzip],
  ["x-gzip", createGunzip],
  ["deflate", createInflate],
  ["br", createBrotliDecompress],
]);

function toResponse(incoming: IncomingMessage): Response {
  const { statusCode: status = 500, statusMessage: statusText = "" } = incoming;
  const headers = new Headers();
  for (const [name, values = []] of Object.entries(incoming.headersDistinct)) {
    for (const value of values) headers.append(name, value);
  }
  if (bodyless.has(status)) {
    incoming.resume();
    return new Response(null, { status, statusText, headers });
  }
  const unpack = unpackers.get((headers.get("content-encoding") ?? "").toLowerCase());
  const body = unpack ? pipeline(incoming, unpack(), () => {}) : incoming;
  if (unpack) headers.delete("content-encoding");
  return new Response(Readable.toWeb(body) as ReadableStream, { status, statusText, headers });
}
