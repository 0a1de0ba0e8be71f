/**
 * What scripted providers have in common: a real HTTP server that answers each request with the next entry of a script,
 * keeps what it was sent, and can fail, stall and break off as providers do.
 */
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface WireCall {
  readonly name: string;
  /** JSON text, readable or not. */
  readonly arguments: string;
  /** Null leaves it out, as some servers do. */
  readonly id?: string | null;
}

export interface WireUsage {
  readonly prompt: number;
  readonly completion: number;
  readonly cached?: number;
  readonly cacheWrite?: number;
  readonly reasoning?: number;
}

/** What the model says, in no particular protocol. Everything is optional: an empty answer is an empty reply. */
export interface WireAnswer {
  /** Anthropic: one thinking block. Responses: one summary for each. Chat Completions has no place for it. */
  readonly reasoning?: readonly string[];
  /** Anthropic's signature, or OpenAI's encrypted content. */
  readonly seal?: string;
  readonly redacted?: string;
  readonly text?: string;
  readonly refusal?: string;
  readonly toolCalls?: readonly WireCall[];
  /** As the provider spells it. */
  readonly finish?: string;
  /** Null: the server does not count. */
  readonly usage?: WireUsage | null;
  /** Instead of an answer. */
  readonly failure?: WireFailure;
  /** An error event in the stream, in place of the event with this number. */
  readonly failAt?: { readonly event: number; readonly type: string; readonly message: string };
  /** The connection breaks after so many events. */
  readonly cutAfter?: number;
  /** The body ends properly after so many events, but too early. */
  readonly endAfter?: number;
  /** Awaited before each event, with its number from 0. */
  readonly gate?: (event: number) => Promise<unknown>;
}

export interface WireFailure {
  readonly status: number;
  readonly body: object | string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface WireRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** The body as it came. */
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests reach into it
  readonly body: any;
  /** Resolved when the connection is gone: true when the client left before the answer was complete. */
  readonly left: Promise<boolean>;
}

export interface ScriptedServer {
  /** The origin, without a path. */
  readonly origin: string;
  readonly requests: readonly WireRequest[];
  /** Further entries for the script. */
  add(...answers: readonly WireAnswer[]): void;
  close(): Promise<void>;
}

/** Entries that are taken in turn, or whoever decides each answer by its request. */
export type Script = readonly WireAnswer[] | ((request: WireRequest) => WireAnswer);

export interface Protocol {
  /** Undefined for a path that is none of the protocol. */
  toEvents(answer: WireAnswer, request: WireRequest): readonly WireEvent[] | undefined;
  /** The answer to a request that did not ask for a stream. */
  toBody(answer: WireAnswer, request: WireRequest): object | undefined;
  /** An error as an event of a stream. */
  toErrorEvent(type: string, message: string): WireEvent;
  /** Whether a request asks for a stream; by a field of its body unless said. */
  streams?(request: WireRequest): boolean;
  /** Of a stream. */
  readonly contentType?: string;
}

/** Text, or bytes where the protocol is none of text. */
export type WireEvent = string | Uint8Array;

export async function startScriptedServer(protocol: Protocol, script: Script): Promise<ScriptedServer> {
  const answers = typeof script === "function" ? [] : [...script];
  const choose = (request: WireRequest) =>
    answers.shift() ?? (typeof script === "function" ? script(request) : undefined);
  const requests: WireRequest[] = [];
  const server = createServer((incoming, response) => {
    respond(protocol, choose, requests, incoming, response).catch((error: unknown) => {
      response.destroy(error instanceof Error ? error : undefined);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    add: (...more) => answers.push(...more),
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

async function respond(
  protocol: Protocol,
  choose: (request: WireRequest) => WireAnswer | undefined,
  requests: WireRequest[],
  incoming: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const request = await readRequest(incoming, response);
  requests.push(request);
  const answer = choose(request);
  if (!answer) return send(response, { status: 500, body: { error: { message: "the script is at its end" } } });
  if (answer.failure) return send(response, answer.failure);
  if (!(protocol.streams?.(request) ?? request.body?.stream === true)) {
    const body = protocol.toBody(answer, request);
    return send(response, body ? { status: 200, body } : unknownPath);
  }
  const events = protocol.toEvents(answer, request);
  if (!events) return send(response, unknownPath);
  response.writeHead(200, { "content-type": protocol.contentType ?? "text/event-stream" });
  await writeEvents(protocol, answer, events, response);
}

const unknownPath: WireFailure = { status: 404, body: { error: { message: "no such path" } } };

async function readRequest(incoming: IncomingMessage, response: ServerResponse): Promise<WireRequest> {
  const left = new Promise<boolean>((resolve) => {
    response.once("close", () => resolve(!response.writableFinished));
  });
  const text = (await Array.fromAsync(incoming, (piece: Buffer) => piece.toString())).join("");
  return {
    method: incoming.method ?? "",
    path: incoming.url ?? "",
    headers: incoming.headers,
    text,
    body: text === "" ? undefined : JSON.parse(text),
    left,
  };
}

function send(response: ServerResponse, { status, body, headers = {} }: WireFailure): void {
  const isPage = typeof body === "string";
  response.writeHead(status, { "content-type": isPage ? "text/html" : "application/json", ...headers });
  response.end(isPage ? body : JSON.stringify(body));
}

async function writeEvents(
  protocol: Protocol,
  { gate, failAt, cutAfter, endAfter }: WireAnswer,
  events: readonly WireEvent[],
  response: ServerResponse,
): Promise<void> {
  for (const [index, event] of events.entries()) {
    if (index === endAfter) break;
    if (index === cutAfter) return void response.destroy();
    await gate?.(index);
    if (response.destroyed) return;
    const isFailing = failAt?.event === index;
    await write(response, isFailing ? protocol.toErrorEvent(failAt.type, failAt.message) : event);
    if (isFailing) break;
  }
  response.end();
}

/** In two halves, so that readers meet events that are not whole yet. Waits, or a cut would swallow what came before. */
async function write(response: ServerResponse, event: WireEvent): Promise<void> {
  const bytes = Buffer.from(event);
  const middle = Math.floor(bytes.length / 2) + 1;
  response.write(bytes.subarray(0, middle));
  await new Promise<void>((resolve) => response.write(bytes.subarray(middle), () => resolve()));
}

/** Pieces of 1, 4, 2 and 7 characters in turn: they end inside words, escapes and numbers. */
export function splitAwkwardly(text: string): string[] {
  const characters = [...text];
  const sizes = [1, 4, 2, 7];
  const pieces: string[] = [];
  for (let turn = 0; characters.length > 0; turn++) {
    pieces.push(characters.splice(0, sizes[turn % sizes.length]).join(""));
  }
  return pieces;
}

export const defaultWireUsage: WireUsage = { prompt: 120, completion: 30, cached: 100, cacheWrite: 7, reasoning: 12 };
