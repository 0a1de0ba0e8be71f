/**
 * A request to an address that somebody gave, perhaps a model. Every hop is checked before it is made and once more by the
 * connection itself, which goes to the very address that was looked at. What is read has an end, unpacked or not.
 */
import { type IncomingMessage, request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import type { Duplex } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import { ToolFailure } from "../shared/tool-failure.ts";
import { type FindAddresses, findAddressFault, lookUpOutside } from "./private-addresses.ts";

export interface OutsideRequest {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Hosts inside the own network that may be called all the same. */
  readonly allowedHosts: readonly string[];
  /** The setting that names them. */
  readonly allowedBy?: string;
  /** What is longer is cut there. */
  readonly maxBytes: number;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
  /** Whether a redirect may lead to another origin: not where the request carries what only this one may know. */
  readonly followsAbroad?: boolean;
  /** How names are looked up, in place of the usual way. */
  readonly findAddresses?: FindAddresses;
}

export interface OutsideAnswer {
  readonly url: URL;
  readonly status: number;
  readonly statusText: string;
  /** In lower case, without parameters; empty where there is none. */
  readonly mediaType: string;
  readonly charset: string | undefined;
  readonly body: Buffer;
  readonly isCut: boolean;
}

const maxRedirects = 5;

/** Throws a ToolFailure when there is no answer, or when the address may not be called. */
export async function sendOutside(address: string, request: OutsideRequest): Promise<OutsideAnswer> {
  const late = AbortSignal.timeout(request.timeoutMs);
  const signal = request.signal ? AbortSignal.any([request.signal, late]) : late;
  try {
    return await followRedirects(address, request, signal);
  } catch (error) {
    if (request.signal?.aborted) throw request.signal.reason;
    if (error instanceof ToolFailure) throw error;
    const host = URL.parse(address)?.host ?? "the address";
    if (late.aborted) throw new ToolFailure(`${host} did not answer within ${request.timeoutMs / 1000} seconds.`);
    throw new ToolFailure(`${host} could not be reached: ${describeFault(error)}.`);
  }
}

/** Happy eyeballs wrap the faults of several addresses into one without words. */
function describeFault(error: unknown): string {
  const [first] = error instanceof AggregateError ? error.errors : [error];
  const { message, code } = first as { message?: string; code?: string };
  return (message || code || "it did not answer").replace(/\.$/, "");
}

async function followRedirects(address: string, request: OutsideRequest, signal: AbortSignal): Promise<OutsideAnswer> {
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

function checkAddress(address: string, { allowedHosts, allowedBy }: OutsideRequest): URL {
  const fault = findAddressFault(address, allowedHosts, allowedBy);
  // A query may hold what only the other side may know.
  const shown = (address.split(/[?#]/, 1)[0] ?? "").slice(0, 200);
  if (fault !== undefined) throw new ToolFailure(`The address ${shown} ${fault}.`);
  return new URL(address);
}

function send(url: URL, request: OutsideRequest, signal: AbortSignal): Promise<IncomingMessage> {
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
        lookup: lookUpOutside(allowedHosts, findAddresses),
        signal,
        agent: false,
      },
      resolve,
    );
    sent.on("error", reject);
    // Whoever answers by changing the protocol is hung up on, and that is no error to Node.
    sent.on("close", () => reject(new Error("it ended the connection without an answer")));
    sent.end(body);
  });
}

const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** Only what asks and changes nothing is asked again elsewhere. */
function findRedirect(url: URL, response: IncomingMessage, request: OutsideRequest): string | undefined {
  const { location } = response.headers;
  const isAsking = ["GET", "HEAD"].includes(request.method ?? "GET");
  if (!isAsking || location === undefined || !redirects.has(response.statusCode ?? 0)) return undefined;
  const target = URL.parse(location, url.href);
  if (!target) throw new ToolFailure(`${url.host} redirects to something that is no address.`);
  if (!request.followsAbroad && target.origin !== url.origin) {
    throw new ToolFailure(`${url.host} redirects to ${target.origin}, another place than the one it was called for.`);
  }
  return target.href;
}

async function readAnswer(url: URL, response: IncomingMessage, maxBytes: number): Promise<OutsideAnswer> {
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
  const unpacker = findUnpacker(url, response);
  let packed = 0;
  if (unpacker) {
    response.on("data", (part: Buffer) => {
      packed += part.length;
    });
    response.on("error", (error) => unpacker.destroy(error)).pipe(unpacker);
  }
  const parts: Buffer[] = [];
  let size = 0;
  try {
    for await (const part of unpacker ?? response) {
      const room = maxBytes - size;
      if (part.length > room) {
        parts.push(part.subarray(0, room));
        return { body: Buffer.concat(parts), isCut: true };
      }
      parts.push(part);
      size += part.length;
    }
  } catch (error) {
    // Answers without a body say all the same how it would be packed.
    if (!response.complete || packed > 0) throw error;
  } finally {
    response.destroy();
    unpacker?.destroy();
  }
  return { body: Buffer.concat(parts), isCut: false };
}

function findUnpacker(url: URL, response: IncomingMessage): Duplex | undefined {
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
