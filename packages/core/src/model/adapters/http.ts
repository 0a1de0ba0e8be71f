/** What protocols spoken by hand need of HTTP: a request as JSON, failures as their readers expect them, events. */

export interface Post {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON text. */
  readonly body: string;
  readonly fetch: typeof fetch;
  readonly signal: AbortSignal;
}

/** A refusal, with the same fields as the errors of provider packages. */
export class HttpFailure extends Error {
  readonly statusCode: number;
  readonly responseHeaders: Readonly<Record<string, string>>;
  readonly responseBody: string;

  constructor(statusCode: number, responseHeaders: Readonly<Record<string, string>>, responseBody: string) {
    super(findMessage(responseBody));
    this.name = "HttpFailure";
    this.statusCode = statusCode;
    this.responseHeaders = responseHeaders;
    this.responseBody = responseBody;
  }
}

export async function post({ url, headers, body, fetch, signal }: Post): Promise<Response> {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body,
    signal,
  });
  if (response.ok) return response;
  throw new HttpFailure(response.status, Object.fromEntries(response.headers), await response.text().catch(() => ""));
}

/** What a body says of its failure, for people: providers agree on nothing but that it is JSON. */
export function findMessage(body: string): string {
  try {
    return readMessage(JSON.parse(body) as unknown) ?? "";
  } catch {
    return /^\s*</.test(body) ? "" : body.trim();
  }
}

function readMessage(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  if (Array.isArray(value)) return value.map(readMessage).find((message) => message !== undefined);
  if (typeof value !== "object" || value === null) return undefined;
  const fields = value as Record<string, unknown>;
  for (const name of ["error", "message", "Message", "msg", "detail", "errors"]) {
    const message = readMessage(fields[name]);
    if (message !== undefined) return message;
  }
  return undefined;
}

/** The data of server-sent events. Comments, with which servers keep a connection open, are no events. */
export async function* readEvents(response: Response): AsyncGenerator<string> {
  let rest = "";
  let data: string[] = [];
  let isAfterReturn = false;
  for await (const text of readText(response)) {
    // A line may come in thousands of pieces: it is read when it has ended.
    if (!isAfterReturn && !/[\r\n]/.test(text)) {
      rest += text;
      continue;
    }
    isAfterReturn = text.endsWith("\r");
    const lines = (rest + text).split(/\r\n|\n|\r(?!$)/);
    rest = lines.pop() ?? "";
    for (const line of lines) {
      if (line.startsWith("data:")) data.push(line.slice(5).replace(/^ /, ""));
      else if (line === "" && data.length > 0) {
        yield data.join("\n");
        data = [];
      }
    }
  }
  // Some servers leave out the empty line after their last event.
  if (rest.startsWith("data:")) data.push(rest.slice(5).trim());
  if (data.length > 0) yield data.join("\n");
}

async function* readText(response: Response): AsyncGenerator<string> {
  if (!response.body) return;
  const decoder = new TextDecoder();
  for await (const bytes of response.body) yield decoder.decode(bytes, { stream: true });
}
