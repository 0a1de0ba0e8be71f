/** Reads the data of server-sent events. Comments, with which servers keep a connection open, are no events. */
import { createLineSplitter } from "../line-pieces.ts";
import { createByteQueue } from "./byte-queue.ts";

export async function* readEvents(response: Response): AsyncGenerator<string> {
  if (!response.body) return;
  const reader = createEventReader();
  for await (const bytes of response.body) yield* reader.add(bytes);
  yield* reader.end();
}

export interface EventReader {
  /** Returns the events that are complete with these bytes. */
  add(bytes: Uint8Array): string[];
  /** Some servers leave out the empty line after their last event, or even the end of its line. */
  end(): string[];
}

export function createEventReader(): EventReader {
  const split = createLineSplitter();
  const decoder = new TextDecoder();
  const queue = createByteQueue();
  let data: string[] = [];

  /** Returns the event that ends with the line. */
  function endLine(): string[] {
    const line = decoder.decode(queue.take(queue.length));
    if (line === "") return endEvent();
    if (line.startsWith("data:")) data.push(line.slice(line[5] === " " ? 6 : 5));
    return [];
  }

  function endEvent(): string[] {
    const events = data.length > 0 ? [data.join("\n")] : [];
    data = [];
    return events;
  }

  return {
    add(chunk) {
      const events: string[] = [];
      for (const { bytes, isEnd } of split(chunk)) {
        queue.add(bytes);
        if (isEnd) events.push(...endLine());
      }
      return events;
    },
    end: () => [...(queue.length > 0 ? endLine() : []), ...endEvent()],
  };
}
