/** A call of somebody's REST API as a tool keeps it: where it goes, and where each argument stands in it. */
import type { JsonObject } from "../../shared/json.ts";
import type { Tool } from "../../store/tools/tools.ts";
import type { ToolEffect } from "../tool.ts";

/** How the rows of such tools are marked. */
export const restToolKind = "rest";

export const restMethods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"] as const;

export type RestMethod = (typeof restMethods)[number];

/** How lists and objects are written into an address. */
export type RestStyle = "comma" | "repeat" | "space" | "pipe" | "brackets" | "json";

export interface RestParameter {
  /** What the model calls it. */
  readonly argument: string;
  readonly in: "path" | "query" | "header" | "body";
  /** What the API calls it; empty where the argument is the whole body. */
  readonly name: string;
  readonly style?: RestStyle;
}

/** Where a sealed value goes. The value itself is in the secrets of the tool. */
export interface RestCredential {
  readonly in: "header" | "query";
  readonly name: string;
}

export interface RestOperation {
  readonly method: RestMethod;
  /** Origin and path, with `{name}` in place of what is filled in; the origin is never filled in. */
  readonly url: string;
  /** The same for every call. */
  readonly query: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly parameters: readonly RestParameter[];
  readonly bodyType: "json" | "form" | "text" | null;
  readonly credentials: readonly RestCredential[];
  readonly timeoutMs: number;
}

/** What is to become a tool. */
export interface RestDraft {
  readonly name: string;
  readonly description: string;
  /** The schema of the arguments. */
  readonly parameters: JsonObject;
  readonly operation: Omit<RestOperation, "credentials" | "timeoutMs">;
  /** How the API wants to be shown who calls, by the names its document has for it. */
  readonly schemes: readonly string[];
}

export const secretName = (credential: RestCredential): string => `${credential.in}/${credential.name}`;

/** Written by us alone, and so read as it is. */
export function findOperation({ kind, metadata }: Pick<Tool, "kind" | "metadata">): RestOperation | undefined {
  return kind === restToolKind ? (metadata?.rest as unknown as RestOperation | undefined) : undefined;
}

const effects: Readonly<Record<RestMethod, ToolEffect>> = {
  GET: "read",
  HEAD: "read",
  PUT: "idempotent",
  DELETE: "idempotent",
  POST: "unsafe",
  PATCH: "unsafe",
};

/** As HTTP has it: asking changes nothing, putting and deleting twice is as good as once. */
export const effectOf = (method: RestMethod): ToolEffect => effects[method];

/** What a body can be sent with. */
export const hasBody = (method: RestMethod): boolean => method === "POST" || method === "PUT" || method === "PATCH";
