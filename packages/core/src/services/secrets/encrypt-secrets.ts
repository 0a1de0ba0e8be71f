/** Seals the secrets of an agent, in place of those it had. */
import type { Runtime } from "../../runtime.ts";
import type { Actor } from "../../shared/actor.ts";
import { invalidInput } from "../../shared/errors.ts";
import { listSecrets, replaceSecrets, type StoredSecret } from "../../store/access/secrets.ts";
import { compareBytes } from "../../store/agents/tags.ts";
import type { Scope } from "../../store/engine/scope.ts";
import { type AgentSecret, secretPlace } from "./secret-scope.ts";

/** By name; null keeps the value that is stored under it. */
export type SecretTexts = Readonly<Record<string, string | null>>;

export async function encryptSecrets(
  { vault }: Runtime,
  scope: Scope,
  actor: Actor,
  ownerId: string,
  secrets: SecretTexts,
): Promise<AgentSecret[]> {
  const input = Object.entries(secrets).sort(([left], [right]) => compareBytes(left, right));
  const isKeeping = input.some(([, value]) => value === null);
  const stored = new Map((isKeeping ? await listSecrets(scope, [ownerId]) : []).map((row) => [row.name, row]));
  const rows = input.map(([name, text]) => {
    const place = secretPlace(scope, ownerId, name);
    if (text === null) {
      const row = getStored(stored, name);
      return { row, value: vault.decrypt(row, place) };
    }
    const id = stored.get(name)?.id ?? scope.newId("agent-env");
    return { row: { id, name, description: null, ...vault.encrypt(text, place) }, value: text };
  });
  await replaceSecrets(
    scope,
    ownerId,
    rows.map(({ row }) => row),
    actor.userId,
  );
  return rows.map(({ row: { id, name, description }, value }) => ({ id, name, value, description }));
}

function getStored(stored: ReadonlyMap<string, StoredSecret>, name: string): StoredSecret {
  const row = stored.get(name);
  if (row) return row;
  throw invalidInput("secrets", `the secret "${name}" has no stored value that could stay: give its value`);
}
