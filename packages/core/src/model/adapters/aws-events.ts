/**
 * AWS's binary stream of events: length of the whole, length of the headers, a checksum of both; headers; payload; a
 * checksum of all. Lengths and checksums are four bytes, the highest first.
 */
import { crc32 } from "node:zlib";
import { createByteQueue } from "./byte-queue.ts";

export interface AwsEvent {
  readonly headers: Readonly<Record<string, string>>;
  readonly payload: string;
}

const preludeSize = 12;
const trailerSize = 4;
/** Anything longer is no event. */
const longest = 24 * 1024 * 1024;

export async function* readAwsEvents(body: AsyncIterable<Uint8Array>): AsyncGenerator<AwsEvent> {
  const reader = createAwsEventReader();
  for await (const bytes of body) yield* reader.add(bytes);
}

export interface AwsEventReader {
  /** Answers the events that are whole with these bytes. */
  add(bytes: Uint8Array): AwsEvent[];
}

export function createAwsEventReader(): AwsEventReader {
  const queue = createByteQueue();
  let size: number | undefined;
  return {
    add(bytes) {
      queue.add(bytes);
      const events: AwsEvent[] = [];
      while (queue.length >= (size ?? preludeSize)) {
        if (size !== undefined) events.push(readEvent(queue.take(size)));
        size = size === undefined ? readSize(queue.peek(preludeSize)) : undefined;
      }
      return events;
    },
  };
}

function readSize(bytes: Buffer): number {
  const size = bytes.readUInt32BE(0);
  const isWhole = bytes.readUInt32BE(8) === crc32(bytes.subarray(0, 8));
  if (!isWhole || size < preludeSize + trailerSize || size > longest)
    throw new Error("the stream of events is garbled");
  return size;
}

function readEvent(bytes: Buffer): AwsEvent {
  const end = bytes.length - trailerSize;
  if (bytes.readUInt32BE(end) !== crc32(bytes.subarray(0, end))) throw new Error("an event of the stream is garbled");
  const headersEnd = preludeSize + bytes.readUInt32BE(4);
  return {
    headers: readHeaders(bytes.subarray(preludeSize, headersEnd)),
    payload: bytes.subarray(headersEnd, end).toString("utf8"),
  };
}

/** How many bytes a value has, by its type; of texts and bytes (6 and 7) the value itself says it. */
const sizes: Readonly<Record<number, number>> = { 0: 0, 1: 0, 2: 1, 3: 2, 4: 4, 5: 8, 8: 8, 9: 16 };

function readHeaders(bytes: Buffer): Record<string, string> {
  const headers: Record<string, string> = {};
  for (let at = 0; at < bytes.length; ) {
    const nameEnd = at + 1 + bytes.readUInt8(at);
    const type = bytes.readUInt8(nameEnd);
    const size = sizes[type];
    const start = nameEnd + (size === undefined ? 3 : 1);
    const end = start + (size ?? bytes.readUInt16BE(nameEnd + 1));
    if (type === 7) headers[bytes.toString("utf8", at + 1, nameEnd)] = bytes.toString("utf8", start, end);
    at = end;
  }
  return headers;
}
