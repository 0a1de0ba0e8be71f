/** What protocols spoken by hand need of HTTP: a request as JSON, failures as their readers expect them. */

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
