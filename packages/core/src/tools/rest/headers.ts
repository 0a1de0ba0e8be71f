/** Names that may stand in the head of a request. */

/** They belong to the connection, or say where the request goes. */
const closedNames: ReadonlySet<string> = new Set([
  "accept-encoding",
  "connection",
  "content-length",
  "expect",
  "host",
  "keep-alive",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/** Why this header cannot be sent; undefined if it can. */
export function findHeaderFault(name: string, value = ""): string | undefined {
  if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/.test(name)) return `"${name.slice(0, 100)}" is no name of a header`;
  if (closedNames.has(name.toLowerCase())) return `the header "${name}" is not yours to set`;
  return /^[\t\x20-\x7e\x80-\xff]*$/.test(value)
    ? undefined
    : `the header "${name}" holds characters that no header can`;
}
