/**
 * The egress proxy of a sandbox, behind a Unix socket: it connects to the allowed hosts only, and never to a private
 * address that a name resolves to.
 */
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerResponse,
  request as sendRequest,
} from "node:http";
import { connect, isIP, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Duplex } from "node:stream";
import { bareHost, guardedLookup, isPrivateAddress } from "../../network/private-addresses.ts";
import { type ServerSession, sessionHost } from "../sandbox.ts";

export interface EgressProxy {
  readonly path: string;
  /** Closes all connections. */
  close(): void;
}

export interface EgressProxyOptions {
  /** Host names, `*.name` for subdomains, `*` for all; with a port other than 80 and 443 only if it is written. */
  readonly hosts: readonly string[];
  /** Private hosts that may be reached. */
  readonly privateHosts: readonly string[];
  readonly session?: ServerSession;
}

const defaultPorts = [80, 443];
/** Connections per call. */
export const maxConnections = 32;

export async function openEgressProxy(options: EgressProxyOptions): Promise<EgressProxy> {
  const folder = mkdtempSync(join(tmpdir(), "memoir-out-"));
  // The folder cannot be listed, so only a process that knows the random name can connect.
  chmodSync(folder, 0o711);
  const path = join(folder, "out.sock");
  const sockets = new Set<Duplex>();
  const server = createProxy(options, sockets);
  await new Promise<void>((resolve, reject) => server.once("error", reject).listen(path, resolve));
  chmodSync(path, 0o666);
  return {
    path,
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const established = "HTTP/1.1 200 Connection established\r\n\r\n";

function createProxy(options: EgressProxyOptions, sockets: Set<Duplex>): Server {
  const server = createServer((request, response) => forward(options, request, response, sockets));
  server.maxConnections = maxConnections;
  server.on("connection", (socket) => track(sockets, socket));
  server.on("connect", (request, socket, head) => {
    const url = URL.parse(`https://${request.url}`);
    if (url && options.session && bareHost(url) === sessionHost) {
      socket.write(established);
      socket.unshift(head);
      // The tunnelled connection is served like a direct one.
      server.emit("connection", socket);
      return;
    }
    const port = Number(url?.port || 443);
    const fault = url ? findFault(options, bareHost(url), port) : "the address cannot be read";
    if (!url || fault !== undefined) return refuse(socket, fault ?? "");
    const far = track(sockets, connectTo(options, bareHost(url), port));
    far.once("connect", () => {
      socket.write(established);
      far.write(head);
      socket.pipe(far).pipe(socket);
    });
    far.on("error", (error) => refuse(socket, error.message));
  });
  return server;
}

function track<S extends Duplex>(sockets: Set<Duplex>, socket: S): S {
  sockets.add(socket);
  socket.on("close", () => sockets.delete(socket));
  socket.on("error", () => socket.destroy());
  return socket;
}

function connectTo({ privateHosts }: EgressProxyOptions, host: string, port: number): Socket {
  return connect({ host, port, lookup: guardedLookup(privateHosts) });
}

/** Plain HTTP is forwarded request by request, so that each is checked. */
function forward(
  options: EgressProxyOptions,
  request: IncomingMessage,
  response: ServerResponse,
  sockets: Set<Duplex>,
): void {
  const url = URL.parse(request.url ?? "", `http://${request.headers.host}`);
  if (options.session && url?.protocol === "http:" && bareHost(url) === sessionHost) {
    passThrough(options.session, url, request, response);
    return;
  }
  const port = Number(url?.port || 80);
  const fault = url?.protocol === "http:" ? findFault(options, bareHost(url), port) : "the address cannot be read";
  if (!url || fault !== undefined) {
    response.writeHead(403, { "Content-Type": "text/plain" }).end(`${fault}\n`);
    return;
  }
  // Either side may send headers that Node refuses to forward; that must not crash the proxy.
  const attempt = (work: () => void) => {
    try {
      work();
    } catch (error) {
      failGateway(response, error);
    }
  };
  attempt(() => {
    const { "proxy-connection": _, "proxy-authorization": __, ...headers } = request.headers;
    const far = sendRequest(url, {
      method: request.method,
      headers: { ...headers, host: url.host },
      lookup: guardedLookup(options.privateHosts),
      agent: false,
    });
    far.on("socket", (socket) => track(sockets, socket));
    far.on("error", (error) => failGateway(response, error));
    far.on("close", () => {
      if (!response.headersSent) failGateway(response, new Error("the host ended the connection without an answer"));
    });
    far.on("response", (answer) => attempt(() => sendBack(answer, response)));
    request.pipe(far);
  });
}

function sendBack(answer: IncomingMessage, response: ServerResponse): void {
  response.writeHead(answer.statusCode ?? 502, answer.headers);
  answer.pipe(response);
}

function failGateway(response: ServerResponse, error: unknown): void {
  const reason = error instanceof Error ? error.message : "failed";
  if (response.headersSent) response.destroy();
  else response.writeHead(502, "Bad Gateway", { "Content-Type": "text/plain" }).end(`${reason}\n`);
}

const maxBody = 4 * 2 ** 20;

async function passThrough(
  session: ServerSession,
  url: URL,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const parts: Buffer[] = [];
  let length = 0;
  try {
    for await (const part of request as AsyncIterable<Buffer>) {
      length += part.length;
      if (length > maxBody) throw new Error("the request is too long");
      parts.push(part);
    }
    const headers = Object.fromEntries(
      Object.entries(request.headers).filter((entry): entry is [string, string] => typeof entry[1] === "string"),
    );
    const body = Buffer.concat(parts).toString("utf8");
    const path = `${url.pathname}${url.search}`;
    const answer = await session.handle({ method: request.method ?? "GET", path, headers, body });
    response.writeHead(answer.status, { "Content-Type": answer.type }).end(answer.body);
  } catch (error) {
    failGateway(response, error);
  }
}

function refuse(socket: Duplex, reason: string): void {
  socket.end(`HTTP/1.1 403 Forbidden\r\nContent-Type: text/plain\r\nConnection: close\r\n\r\n${reason}\n`);
}

/** Returns why the host may not be reached, or undefined, by name only. */
export function findFault({ hosts, privateHosts }: EgressProxyOptions, host: string, port: number): string | undefined {
  const isListed = hosts.some((entry) => isMatch(entry.toLowerCase(), host, port));
  if (!isListed) return `${host}:${port} is not among the hosts this tool may reach`;
  const isInside = isIP(host) !== 0 && isPrivateAddress(host) && !privateHosts.includes(host);
  return isInside ? `${host} leads to this machine or its own network` : undefined;
}

function isMatch(entry: string, host: string, port: number): boolean {
  const [name = "", own] = entry.split(/:(?=\d+$)/);
  if (own === undefined ? !defaultPorts.includes(port) : Number(own) !== port) return false;
  if (name === "*") return true;
  return name.startsWith("*.") ? host.endsWith(name.slice(1)) : host === name;
}
