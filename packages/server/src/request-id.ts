/** The id of a request: the caller's, where it can stand in a log line and a header, else one of ours. */
import type { IncomingHttpHeaders } from "node:http";

const wellFormed = /^[\w.:/+=@~-]{1,128}$/;

export function readRequestId({ headers }: { readonly headers: IncomingHttpHeaders }): string {
  const own = headers["x-request-id"];
  return typeof own === "string" && wellFormed.test(own) ? own : crypto.randomUUID();
}
