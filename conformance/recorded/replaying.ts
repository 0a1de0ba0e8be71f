/**
 * Sends again what was recorded at the old server, with a model that answers as the recording's did, and says where our
 * answer differs: whole answers and streams alike, the order of the fields of messages included.
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "vitest";
import { recordings } from "./recordings.ts";
import { compareKeyOrder, compareWire, type Difference, type IdMap } from "./wire-difference.ts";

export interface Replay {
  readonly url: string;
  readonly ids: IdMap;
  /** Names for the model's next calls, handed to startDirectedModels. */
  readonly callIds: string[];
  /** Folder of the recordings of this caller. */
  readonly place: string;
  readonly headers: Readonly<Record<string, string>>;
}

interface RecordedRequest {
  readonly request: { readonly method: string; readonly path: string; readonly body?: unknown };
  readonly response: { readonly status: number; readonly headers: Record<string, string>; readonly body?: unknown };
}

/** Events that are left out before streams are compared: of the recorded ones, and of ours. */
export interface LeftOut {
  readonly recorded?: (event: StreamEvent) => boolean;
  readonly ours?: (event: StreamEvent) => boolean;
}

/** Undefined where this caller has no such recording. */
export async function replaySample(replay: Replay, name: string, left?: LeftOut): Promise<Difference[] | undefined> {
  const file = (ending: string) => join(recordings, replay.place, `${name}${ending}`);
  if (existsSync(file(".json"))) return await replayWhole(replay, JSON.parse(readFileSync(file(".json"), "utf8")));
  if (!existsSync(file(".sse.txt"))) return undefined;
  const text = readFileSync(file(".sse.txt"), "utf8");
  return await replayStream(replay, JSON.parse(readFileSync(file(".request.json"), "utf8")), text, left);
}

/** Until no run is under way. */
export async function waitForRuns(url: string): Promise<void> {
  while (((await (await fetch(`${url}/v1/runs/active`)).json()) as unknown[]).length > 0) await sleep(10);
}

/** What was sent is sent again; `text` is what came back, for the names of the calls in it. */
async function resend({ url, ids, callIds, headers }: Replay, { request }: RecordedRequest, text: string) {
  const { method, path, body } = request;
  callIds.splice(0, callIds.length, ...new Set(text.match(/\b(call|toolu)_[0-9a-z]{12,}/g) ?? []));
  // A body that is not JSON was recorded as the text it was.
  const sent = body === undefined || typeof body === "string" ? body : JSON.stringify(body);
  return await fetch(url + ids.translate(path), {
    method,
    headers: sent === undefined ? headers : { ...headers, "content-type": "application/json" },
    ...(sent === undefined ? {} : { body: ids.translate(sent) }),
  });
}

async function replayWhole(replay: Replay, sample: RecordedRequest): Promise<Difference[]> {
  const { response } = sample;
  const answer = await resend(replay, sample, JSON.stringify(response.body) ?? "");
  const text = await answer.text();
  if (response.status !== answer.status) {
    return [{ path: "status", recorded: response.status, ours: `${answer.status} ${text}` }];
  }
  const theirs = { type: response.headers["content-type"], body: nameOtids(structuredClone(response.body)) };
  const ours = {
    type: answer.headers.get("content-type")?.split(";")[0],
    body: nameOtids(text === "" ? "" : JSON.parse(text)),
  };
  return [...compareWire(replay.ids, theirs, ours), ...compareKeyOrder(theirs, ours)];
}

async function replayStream(
  replay: Replay,
  sample: RecordedRequest,
  recorded: string,
  left: LeftOut = {},
): Promise<Difference[]> {
  const { response } = sample;
  const answer = await resend(replay, sample, recorded);
  if (response.status !== answer.status) {
    return [{ path: "status", recorded: response.status, ours: `${answer.status} ${await answer.text()}` }];
  }
  expect(answer.headers.get("content-type")).toBe(response.headers["content-type"]);
  const theirs = joinPieces(readFrames(recorded).filter((event) => !left.recorded?.(event)));
  const ours = joinPieces(readFrames(await answer.text()).filter((event) => !left.ours?.(event)));
  return [...compareWire(replay.ids, theirs, ours), ...compareKeyOrder(theirs, ours)];
}

type Item = Record<string, unknown> & {
  id?: string;
  otid?: string | null;
  message_type?: string;
  tool_call?: Record<string, string>;
};

/**
 * Made from the message's id where the agent speaks, with the number of the part in its lowest bits; made up where a user
 * did not give one.
 */
function nameOtid(item: Item): Item {
  if (!item.id || !/^[0-9a-f-]{36}$/.test(item.otid ?? "")) return item;
  const ends = [item.id, item.otid ?? ""].map((text) => Number.parseInt(text.slice(-2), 16));
  const isOwn = item.otid?.slice(0, -2) === item.id.slice(8, -2) && ((ends[0] ?? 0) ^ (ends[1] ?? 0)) < 128;
  return { ...item, otid: isOwn ? `part ${(ends[1] ?? 0) % 128}` : "made up" };
}

export function nameOtids(body: unknown): unknown {
  if (Array.isArray(body)) return body.map((item) => nameOtid(item as Item));
  const { messages } = (body ?? {}) as { messages?: Item[] };
  return Array.isArray(messages) ? { ...(body as object), messages: messages.map(nameOtid) } : body;
}

export interface StreamEvent {
  readonly event: string | null;
  readonly data: unknown;
}

/** Every event is one frame: an optional name, one line of data, an empty line. */
export function readFrames(text: string): StreamEvent[] {
  expect(text.endsWith("\n\n")).toBe(true);
  return text
    .slice(0, -2)
    .split("\n\n")
    .map((frame) => {
      const match = /^(?:event: (\w+)\n)?data: (.*)$/.exec(frame);
      expect(match, frame).not.toBeNull();
      const data = match?.[2] ?? "";
      return { event: match?.[1] ?? null, data: data === "[DONE]" ? data : nameEvent(JSON.parse(data)) };
    });
}

/** A ping's id is made from nothing that can be compared. */
function nameEvent(item: Item): Item {
  return item.message_type === "ping" ? { ...item, id: item.id?.slice(0, 5) } : nameOtid(item);
}

/** Where a reply is cut into pieces depends on the provider: pieces of one item are put together before they are compared. */
function joinPieces(events: readonly StreamEvent[]): StreamEvent[] {
  const joined: StreamEvent[] = [];
  for (const { event, data } of events) {
    const [item, last] = [data as Item, joined.at(-1)?.data as Item | undefined];
    const isSame = item.id !== undefined && last?.id === item.id && last.message_type === item.message_type;
    const isOne = isSame && item.tool_call?.tool_call_id === last.tool_call?.tool_call_id;
    if (isOne && last) addPiece(last, item);
    else joined.push({ event, data: structuredClone(data) });
  }
  return joined;
}

function addPiece(whole: Item, piece: Item): void {
  for (const key of ["content", "reasoning"]) if (key in piece) whole[key] = `${whole[key] ?? ""}${piece[key]}`;
  if (!piece.tool_call || !whole.tool_call) return;
  const text = `${whole.tool_call.arguments ?? ""}${piece.tool_call.arguments ?? ""}`;
  whole.tool_call = whole.tool_calls = { ...whole.tool_call, arguments: text } as Record<string, string>;
}
