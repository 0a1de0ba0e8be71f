/** The sealed part of an MCP server: its token, the values of its headers, the environment of a program. */
import type { Actor } from "../actor.ts";
import type { Runtime } from "../runtime.ts";
import type { Scope } from "../store/scope.ts";
import { listSecrets, replaceSecrets } from "../store/secrets.ts";
import { secretPlace } from "./agent-view.ts";

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

export async function sealMcpSecrets(
  { vault }: Runtime,
  scope: Scope,
  actor: Actor,
  serverId: string,
  given: McpCredentials,
): Promise<void> {
  const { token, headers, environment } = given;
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
            ...vault.seal(text, secretPlace(scope, serverId, name)),
          },
        ],
  );
  await replaceSecrets(scope, serverId, [...kept, ...sealed], actor.userId);
}

function withPrefix(kind: SecretKind, texts: SealedTexts = {}): Record<string, string | null> {
  return Object.fromEntries(Object.entries(texts).map(([name, text]) => [`${kind}/${name}`, text]));
}
