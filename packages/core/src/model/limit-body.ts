/**
 * Limits what readers of a provider's answer have to hold at once: an event of a stream of events, or a whole body of any
 * other kind. Adapters and provider packages wait for the end of either before they look at it.
 */
import { createLineSplitter } from "./line-pieces.ts";

/** JSON spells some characters with six bytes, and has more around them. */
const spelling = 2;
const slackBytes = 2 ** 20;

export function limitBodies(fetch: typeof globalThis.fetch, maxReplyBytes: number): typeof globalThis.fetch {
  const maxBytes = maxReplyBytes * spelling + slackBytes;
  return async (input, init) => {
    const response = await fetch(input, init);
    if (!response.body) return response;
    const { status, statusText, headers } = response;
    return new Response(response.body.pipeThrough(createLimit(headers, maxBytes)), { status, statusText, headers });
  };
}

function createLimit(
  headers: Headers,
  maxBytes: number,
): TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>> {
  const isOfEvents = headers.get("content-type")?.startsWith("text/event-stream") ?? false;
  const countHeld = isOfEvents ? createEventCount() : createBodyCount();
  return new TransformStream({
    transform(bytes, controller) {
      if (countHeld(bytes) > maxBytes) controller.error(new Error(`the answer is longer than ${maxBytes} bytes`));
      else controller.enqueue(bytes);
    },
  });
}

/** Returns how many bytes a reader holds after each chunk. */
type HeldCount = (chunk: Uint8Array) => number;

function createBodyCount(): HeldCount {
  let held = 0;
  return (chunk) => (held += chunk.length);
}

/** An event ends with an empty line. */
function createEventCount(): HeldCount {
  const split = createLineSplitter();
  let held = 0;
  let lineBytes = 0;
  return (chunk) => {
    for (const { bytes, isEnd } of split(chunk)) {
      lineBytes += bytes.length;
      held = isEnd && lineBytes === 0 ? 0 : held + bytes.length + 1;
      if (isEnd) lineBytes = 0;
    }
    return held;
  };
}
