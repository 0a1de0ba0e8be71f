/**
 * HTTP requests to untrusted addresses, for example from a model. Every hop is checked before the request, and again on
 * connect against the resolved address, so that DNS rebinding has no effect. Body size is limited before and after
 * decompression.
 */
import { type IncomingMessage, request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import type { Duplex } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import { ToolFailure } from "../shared/tool-failure.ts";
import { type FindAddresses, findAddressFault, guardedLookup } from "./private-addresses.ts";

export interface GuardedRequest {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Private hosts that may be called. */
  readonly allowedHosts: readonly string[];
  /** Name of the setting behind `allowedHosts`, for error messages. */
  readonly allowSetting?: string;
  /** Longer bodies are truncated. */
  readonly maxBytes: number;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
  /** Whether redirects may leave the origin; must be off if the request carries credentials. */
  readonly followsCrossOrigin?: boolean;
  /** Replaces the DNS lookup in tests. */
  readonly findAddresses?: FindAddresses;
}

export interface GuardedResponse {
  readonly url: URL;
  readonly status: number;
  readonly statusText: string;
  /** Lower case, without parameters; empty if the header is missing. */
  readonly mediaType: string;
  readonly charset: string | undefined;
  readonly body: Buffer;
  readonly isCut: boolean;
}

const maxRedirects = 5;

/** Throws a ToolFailure if there is no response or the address is not allowed. */
export async function guardedFetch(address: string, request: GuardedRequest): Promise<GuardedResponse> {
  const timeout = AbortSignal.timeout(request.timeoutMs);
  const signal = request.signal ? AbortSignal.any([request.signal, timeout]) : timeout;
  try {
    return await followRedirects(address, request, signal);
  } catch (error) {
    if (request.signal?.aborted) throw request.signal.reason;
    if (error instanceof ToolFailure) throw error;
    const host = URL.parse(address)?.host ?? "the address";
    if (timeout.aborted) throw new ToolFailure(`${host} did not answer within ${request.timeoutMs / 1000} seconds.`);
    throw new ToolFailure(`${host} could not be reached: ${describeFault(error)}.`);
  }
}

/** Happy eyeballs wraps the errors of several addresses in an AggregateError without a message. */
function describeFault(error: unknown): string {
  const [first] = error instanceof AggregateError ? error.errors : [error];
  const { message, code } = first as { message?: string; code?: string };
  return (message || code || "it did not answer").replace(/\.$/, "");
}

async function followRedirects(
  address: string,
  request: GuardedRequest,
  signal: AbortSignal,
): Promise<GuardedResponse> {
  let next = address;
  for (let hops = 0; ; hops++) {
    const url = checkAddress(next, request);
    const response = await send(url, request, signal);
    const target = findRedirect(url, response, request);
    if (target === undefined) return await readAnswer(url, response, request.maxBytes);
    response.destroy();
    if (hops === maxRedirects) throw new ToolFailure(`${url.host} redirects again and again.`);
    next = target;
  }
}

function checkAddress(address: string, { allowedHosts, allowSetting }: GuardedRequest): URL {
  const fault = findAddressFault(address, allowedHosts, allowSetting);
  // Queries may hold credentials, so error messages omit them.
  const shown = (address.split(/[?#]/, 1)[0] ?? "").slice(0, 200);
  if (fault !== undefined) throw new ToolFailure(`The address ${shown} ${fault}.`);
  return new URL(address);
}

function send(url: URL, request: GuardedRequest, signal: AbortSignal): Promise<IncomingMessage> {
  const { method = "GET", headers = {}, body, allowedHosts, findAddresses } = request;
  const make = url.protocol === "https:" ? requestHttps : requestHttp;
  return new Promise((resolve, reject) => {
    const sent = make(
      url,
      {
        method,
        headers: {
          "accept-encoding": "gzip, deflate, br",
          ...headers,
          ...(body === undefined ? {} : { "content-length": Buffer.byteLength(body) }),
        },
        lookup: guardedLookup(allowedHosts, findAddresses),
        signal,
        agent: false,
      },
      resolve,
    );
    sent.on("error", reject);
    // Node closes the connection without an error event if the server switches protocols.
    sent.on("close", () => reject(new Error("it ended the connection without an answer")));
    sent.end(body);
  });
}

const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** Only GET and HEAD follow redirects, because other methods may have side effects. */
function findRedirect(url: URL, response: IncomingMessage, request: GuardedRequest): string | undefined {
  const { location } = response.headers;
  const isSafeMethod = ["GET", "HEAD"].includes(request.method ?? "GET");
  if (!isSafeMethod || location === undefined || !redirects.has(response.statusCode ?? 0)) return undefined;
  const target = URL.parse(location, url.href);
  if (!target) throw new ToolFailure(`${url.host} redirects to something that is no address.`);
  if (!request.followsCrossOrigin && target.origin !== url.origin) {
    throw new ToolFailure(`${url.host} redirects to ${target.origin}, another place than the one it was called for.`);
  }
  return target.href;
}

async function readAnswer(url: URL, response: IncomingMessage, maxBytes: number): Promise<GuardedResponse> {
  const [type = "", ...parameters] = (response.headers["content-type"] ?? "").split(";");
  const charset = parameters.map((text) => /^\s*charset="?([^"\s]+)"?\s*$/i.exec(text)?.[1]).find(Boolean);
  const { body, isCut } = await readBody(url, response, maxBytes);
  return {
    url,
    status: response.statusCode ?? 0,
    statusText: response.statusMessage ?? "",
    mediaType: type.trim().toLowerCase(),
    charset,
    body,
    isCut,
  };
}

async function readBody(url: URL, response: IncomingMessage, maxBytes: number) {
  const decompressor = createDecompressor(url, response);
  let compressedBytes = 0;
  if (decompressor) {
    response.on("data", (part: Buffer) => {
      compressedBytes += part.length;
    });
    response.on("error", (error) => decompressor.destroy(error)).pipe(decompressor);
  }
  const parts: Buffer[] = [];
  let size = 0;
  try {
    for await (const part of decompressor ?? response) {
      const room = maxBytes - size;
      if (part.length > room) {
        parts.push(part.subarray(0, room));
        return { body: Buffer.concat(parts), isCut: true };
      }
      parts.push(part);
      size += part.length;
    }
  } catch (error) {
    // Responses without a body, for example to HEAD, still declare a content encoding.
    if (!response.complete || compressedBytes > 0) throw error;
  } finally {
    response.destroy();
    decompressor?.destroy();
  }
  return { body: Buffer.concat(parts), isCut: false };
}

function createDecompressor(url: URL, response: IncomingMessage): Duplex | undefined {
  const encoding = (response.headers["content-encoding"] ?? "identity").trim().toLowerCase();
  switch (encoding) {
    case "":
    case "identity":
      return undefined;
    case "gzip":
    case "x-gzip":
      return createGunzip();
    case "deflate":
      return createInflate();
    case "br":
      return createBrotliDecompress();
    default:
      response.destroy();
      throw new ToolFailure(`${url.host} answers in an encoding that cannot be read (${encoding.slice(0, 50)}).`);
  }
}
