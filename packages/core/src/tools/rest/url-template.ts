/** Addresses with `{name}` in place of what a call fills in. Where the call goes is fixed: only path and query are open. */
import { MemoirError } from "../../shared/errors.ts";

export interface UrlTemplate {
  /** Origin and path as they are sent, but for what is filled in. */
  readonly url: string;
  /** Names in the path, in their order. */
  readonly path: readonly string[];
  /** What is filled into the query: names of the API, with names of the template. */
  readonly query: ReadonlyMap<string, string>;
  readonly fixedQuery: Readonly<Record<string, string>>;
}

const placeholder = /\{([^{}/?#]+)\}/g;

export function parseUrlTemplate(template: string, field: string): UrlTemplate {
  const [address = "", ...rest] = template.split("?");
  const names: string[] = [];
  const marked = address.replaceAll(placeholder, (_, name: string) => `memoir-${names.push(name) - 1}-slot`);
  const url = URL.parse(marked);
  if (!url || (url.protocol !== "http:" && url.protocol !== "https:")) {
    throw refuse(field, `the address "${template.slice(0, 200)}" must begin with https:// or http://`);
  }
  if (/[{}]|memoir-\d+-slot/.test(decodeURI(url.host)) || url.username || url.password || url.hash) {
    throw refuse(
      field,
      "only the path and the query of an address can be filled in, and it holds no user name or fragment",
    );
  }
  const path = url.pathname.replaceAll(/memoir-(\d+)-slot/g, (_, index: string) => `{${names[Number(index)]}}`);
  const query = new Map<string, string>();
  const fixedQuery: Record<string, string> = {};
  for (const [name, value] of new URLSearchParams(rest.join("?"))) {
    const [whole, slot] = /^\{([^{}/?#]+)\}$/.exec(value) ?? [];
    if (whole) query.set(name, slot ?? "");
    else if (/[{}]/.test(name + value))
      throw refuse(field, `"${name}" in the query must be filled in as a whole or not at all`);
    else fixedQuery[name] = value;
  }
  return { url: `${url.origin}${path}`, path: [...new Set(names)], query, fixedQuery };
}

export function refuse(field: string, message: string): MemoirError {
  return new MemoirError("invalid-argument", message, { details: { field } });
}
