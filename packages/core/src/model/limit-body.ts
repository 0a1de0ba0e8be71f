/**
 * Bounds what readers of a provider's answer may have to hold at once: a line of a stream of events, or a whole body of any
 * other kind. Adapters and provider packages wait for the end of either before they look at it.
 */

/** JSON spells some characters with six bytes, and has more around them. */
const spelling = 2;
const slackBytes = 2 ** 20;
const lineFeed = 10;

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
  const isInLines = headers.get("content-type")?.startsWith("text/event-stream") ?? false;
  let held = 0;
  return new TransformStream({
    transform(bytes, controller) {
      const end = isInLines ? bytes.lastIndexOf(lineFeed) : -1;
      held = end === -1 ? held + bytes.length : bytes.length - end - 1;
      if (held > maxBytes) controller.error(new Error(`the answer is longer than ${maxBytes} bytes`));
      else controller.enqueue(bytes);
    },
  });
}
