/** The sealed part of an MCP server: its token, the values of its headers, the environment of a program. */
import type { Runtime } from "../../runtime.ts";
import type { Actor } from "../../shared/actor.ts";
import { invalidInput } from "../../shared/errors.ts";
import { listSecrets, replaceSecrets } from "../../store/access/secrets.ts";
import type { Scope } from "../../store/engine/scope.ts";
import type { McpConnection } from "../../store/tools/mcp-servers.ts";
import { secretPlace } from "../secrets/secret-scope.ts";

/** By name; null keeps the value that is stored under it. */
export type SealedTexts = Readonly<Record<string, string | null>>;

export interface McpCredentials {
  /** Left out: as it is. An empty one takes it away. */
  readonly token?: string;
  /** Replaces the whole set. */
  readonly headers?: SealedTexts;
  readonly environment?: SealedTexts;
}

type SecretKind = "header" | "environment";

export function isMcpSecret(name: string, kind: SecretKind): boolean {
  return name.startsWith(`${kind}/`);
}

export interface StoredMcpSecrets {
  readonly hasToken: boolean;
  readonly headerNames: readonly string[];
  readonly environmentNames: readonly string[];
}

/** Credentials stored for one address or program are never sent to another: they come with the change, or go. */
export function credentialsAfterMove(
  before: McpConnection,
  after: McpConnection,
  stored: StoredMcpSecrets,
  update: McpCredentials,
): McpCredentials {
  if (targetOf(before) === targetOf(after)) return update;
  if ("url" in before !== "url" in after) {
    return {
      token: update.token ?? "",
      headers: withTexts(update.headers),
      environment: withTexts(update.environment),
    };
  }
  const isKept = (texts: SealedTexts | undefined, names: readonly string[]) =>
    texts === undefined ? names.length > 0 : names.some((name) => texts[name] === null);
  const where = "url" in after ? `moves to ${targetOf(after)}` : "starts another program";
  const refuse = (field: string, remedy: string) => invalidInput(field, `the MCP server ${where}: ${remedy}`);
  if (stored.hasToken && update.token === undefined) {
    throw refuse("auth_token", "send its auth_token, or an empty one to have none");
  }
  if (isKept(update.headers, stored.headerNames)) {
    throw refuse("custom_headers", "send the values of its custom_headers, or {} to have none");
  }
  if (isKept(update.environment, stored.environmentNames)) {
    throw refuse("env", "send the values of its env, or {} to have none");
  }
  return update;
}

/** Where credentials go: an origin, or a program with its arguments. */
function targetOf(connection: McpConnection): string {
  if (!("url" in connection)) return JSON.stringify([connection.command, connection.args]);
  return URL.parse(connection.url)?.origin ?? connection.url;
}

function withTexts(texts: SealedTexts = {}): SealedTexts {
  return Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== null));
}

export async function encryptMcpSecrets(
  { vault }: Runtime,
  scope: Scope,
  actor: Actor,
  serverId: string,
  input: McpCredentials,
): Promise<void> {
  const { token, headers, environment } = input;
  if (token === undefined && headers === undefined && environment === undefined) return;
  const texts: Record<string, string | null> = {
    ...(token ? { token } : {}),
    ...withPrefix("header", headers),
    ...withPrefix("environment", environment),
  };
  const isReplaced = (name: string) =>
    (token !== undefined && name === "token") ||
    (headers !== undefined && isMcpSecret(name, "header")) ||
    (environment !== undefined && isMcpSecret(name, "environment"));
  const stored = await listSecrets(scope, [serverId]);
  const kept = stored.filter(({ name }) => !isReplaced(name) || texts[name] === null);
  const sealed = Object.entries(texts).flatMap(([name, text]) =>
    text === null
      ? []
      : [
          {
            id: scope.newId("secret"),
            name,
            description: null,
            ...vault.encrypt(text, secretPlace(scope, serverId, name)),
          },
        ],
  );
  await replaceSecrets(scope, serverId, [...kept, ...sealed], actor.userId);
}

function withPrefix(kind: SecretKind, texts: SealedTexts = {}): Record<string, string | null> {
  return Object.fromEntries(Object.entries(texts).map(([name, text]) => [`${kind}/${name}`, text]));
}
