/** A reply that comes in thousands of deltas takes time in proportion to its length, not to that times its deltas. */
import { crc32 } from "node:zlib";
import { expect, test } from "vitest";
import { createDeltaMapper } from "../../server/src/letta/messages/deltas.ts";
import { viewOf } from "../../server/src/letta/messages/mapper.ts";
import { createAwsEventReader } from "./model/adapters/aws-events.ts";
import { readChatReply } from "./model/adapters/chat-reply.ts";
import { createReply } from "./model/adapters/reply.ts";
import { readEvents } from "./model/adapters/server-sent-events.ts";
import { createThinkSplitter } from "./model/adapters/think-tags.ts";
import type { ReplyPiece } from "./shared/events.ts";
import { findGrowthFault } from "./testing/growth.ts";

const deltaSize = 10;

function cut(text: string, size = deltaSize): string[] {
  const count = Math.ceil(text.length / size);
  return Array.from({ length: count }, (_, n) => text.slice(n * size, (n + 1) * size));
}

function toBody(parts: readonly string[]): ReadableStream<Uint8Array> {
  return ReadableStream.from(parts.map((part) => Buffer.from(part, "latin1")));
}

async function drain(parts: AsyncIterable<unknown>): Promise<number> {
  let count = 0;
  for await (const _ of parts) count++;
  return count;
}

const tool = { name: "note", description: "", parameters: {} };

/** Each delta as an event of Chat Completions. */
function readChat(deltas: readonly object[]): Promise<number> {
  const events = deltas.map((delta) => `data: ${JSON.stringify({ choices: [{ delta }] })}\n\n`);
  return drain(readChatReply(new Response(toBody([...events, "data: [DONE]\n\n"])), [tool]));
}

function readCall(name: string, json: string): void {
  const map = createDeltaMapper(
    { messageId: "message-1", stepId: "", runId: "", date: "" },
    viewOf("memgpt_agent", {}),
  );
  map({ type: "call", callId: "1", name });
  for (const text of cut(json)) map({ type: "arguments", callId: "1", text } satisfies ReplyPiece);
}

function buildReply(json: string): void {
  const reply = createReply(() => false);
  reply.add({ type: "tool-input-start", id: "1", toolName: "note" });
  for (const delta of cut(json)) reply.add({ type: "tool-input-delta", id: "1", delta });
  reply.add({ type: "tool-call", toolCallId: "1", toolName: "note", input: json });
}

/** One event without headers. */
function toAwsEvent(payload: string): string {
  const bytes = Buffer.alloc(16 + payload.length);
  bytes.writeUInt32BE(bytes.length, 0);
  bytes.writeUInt32BE(crc32(bytes.subarray(0, 8)), 8);
  bytes.write(payload, 12, "latin1");
  bytes.writeUInt32BE(crc32(bytes.subarray(0, -4)), bytes.length - 4);
  return bytes.toString("latin1");
}

const call = (piece: string) => ({ tool_calls: [{ index: 0, function: { name: "note", arguments: piece } }] });

const readers: Readonly<Record<string, (text: string) => unknown>> = {
  "what the message tool says": (text) => readCall("send_message", `{"thinking":"","message":"${text}"}`),
  "another tool's argument": (text) => readCall("note", `{"a":"${text}"}`),
  "a name of an argument": (text) => readCall("note", `{"${text}":1}`),
  "a call that is no JSON": (text) => readCall("note", `{${text}`),
  "a call of a provider package": (text) => buildReply(`{"a":"${text}"}`),
  "a call whose name is repeated": (text) => readChat(cut(`{"a":"${text}"}`).map(call)),
  "a call that begins with white space": (text) => readChat(cut(text).map(call)),
  "a text that may be a call": (text) => readChat(cut(`{"name":"${text}`).map((content) => ({ content }))),
  "a text that may begin with a tag": (text) => {
    const splitter = createThinkSplitter();
    for (const piece of cut(text)) splitter.add(piece);
  },
  thoughts: (text) => {
    const splitter = createThinkSplitter();
    for (const piece of cut(`<think>${text}`)) splitter.add(piece);
  },
  "one line of server-sent events": (text) => drain(readEvents(new Response(toBody(cut(`data: ${text}\n\n`))))),
  // Byte by byte: copying is so fast that larger chunks would hide that all bytes are copied for each.
  "one event of AWS": (text) => {
    const { add } = createAwsEventReader();
    return cut(toAwsEvent(text), 1).flatMap((byte) => add(Buffer.from(byte, "latin1")));
  },
};

const units = ["a", " ", "}", "\\n", "</think", "\\ud83d"];

test.for(Object.entries(readers))("%s is read in linear time, however many deltas it comes in", async ([, read]) => {
  for (const unit of units) {
    const text = { name: JSON.stringify(unit), write: (size: number) => unit.repeat(size / unit.length) };
    expect(await findGrowthFault(read, text, 40_000)).toBeUndefined();
  }
});
