/** What shows an API who calls: values for headers and the query, given as such or by the names of an OpenAPI document. */
import { isJsonObject, type JsonObject } from "../../shared/json.ts";
import { findHeaderFault } from "./headers.ts";
import type { RestCredential } from "./operation.ts";
import { resolveRef } from "./schema-refs.ts";
import { refuse } from "./url-template.ts";

export interface GivenCredentials {
  /** Sent with every call. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  /** By the name of a security scheme: sent with the operations that ask for it. `user:password` for basic ones. */
  readonly schemes?: Readonly<Record<string, string>>;
}

export interface CredentialText extends RestCredential {
  readonly value: string;
}

export interface CredentialTexts {
  readonly always: readonly CredentialText[];
  readonly byScheme: ReadonlyMap<string, CredentialText>;
}

const longestValue = 10_000;

export function readCredentials(input: GivenCredentials, document: JsonObject | undefined): CredentialTexts {
  const texts = (where: "header" | "query", values: Readonly<Record<string, string>> = {}) =>
    Object.entries(values).map(([name, value]) => check({ in: where, name, value }));
  const schemes = Object.entries(input.schemes ?? {}).map(
    ([name, value]) => [name, check(readScheme(document, name, value))] as const,
  );
  return { always: [...texts("header", input.headers), ...texts("query", input.query)], byScheme: new Map(schemes) };
}

function check(text: CredentialText): CredentialText {
  const { name, value } = text;
  if (value === "" || value.length > longestValue) {
    throw refuse("credentials", `the credential "${name.slice(0, 100)}" must have 1 to ${longestValue} characters`);
  }
  const fault = text.in === "header" ? findHeaderFault(name, value) : undefined;
  if (fault !== undefined) throw refuse("credentials", fault);
  return text;
}

function readScheme(document: JsonObject | undefined, name: string, value: string): CredentialText {
  const components = isJsonObject(document?.components) ? document.components : {};
  const known = isJsonObject(components.securitySchemes) ? components.securitySchemes : {};
  const scheme = document && resolveRef(document, Object.hasOwn(known, name) ? known[name] : undefined);
  if (!scheme) {
    const names = Object.keys(known).join(", ") || "none";
    throw refuse("credentials", `the document has no security scheme "${name.slice(0, 100)}"; it has: ${names}`);
  }
  const authorization = (word: string, text = value) => ({
    in: "header" as const,
    name: "Authorization",
    value: `${word} ${text}`,
  });
  switch (scheme.type) {
    case "apiKey":
      if ((scheme.in === "header" || scheme.in === "query") && typeof scheme.name === "string") {
        return { in: scheme.in, name: scheme.name, value };
      }
      break;
    case "http":
      if (String(scheme.scheme).toLowerCase() === "basic") {
        return authorization("Basic", Buffer.from(value).toString("base64"));
      }
      return authorization("Bearer");
    case "oauth2":
    case "openIdConnect":
      return authorization("Bearer");
  }
  throw refuse(
    "credentials",
    `the security scheme "${name}" cannot be used from here: send its value as a header instead`,
  );
}
