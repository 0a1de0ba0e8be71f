/**
 * Values of secrets go in and do not come out again. Answers hold a mask in their place; a caller that sends the mask back,
 * as those do who change one secret of several, leaves the stored value as it is.
 */
import type { Caller } from "../../caller.ts";

export const maskedValue = "********";

/** What an answer shows of a value. */
export type ShowSecret = (name: string, value: string) => string;

/** That there is none is no secret. */
export const maskSecret: ShowSecret = (_, value) => (value === "" ? "" : maskedValue);

export const revealSecret: ShowSecret = (_, value) => value;

/** Whoever has just sent a value knows it, and clients expect to find it in the answer. */
export function echoSecrets(input: Readonly<Record<string, string | undefined>> = {}): ShowSecret {
  return (name, value) => (Object.hasOwn(input, name) && input[name] === value ? value : maskSecret(name, value));
}

/** Where the operator lets values be read: by those who could also run a tool that prints them. */
export function secretSight(showsSecrets: boolean, { role, key }: Caller): ShowSecret {
  const isTrusted = role !== "reader" && (key === undefined || key.agentId === null);
  return showsSecrets && isTrusted ? revealSecret : maskSecret;
}

/** Null stands for the value that is stored. */
export function fromSecretWire(secrets: Record<string, string> | undefined): Record<string, string | null> | undefined {
  if (secrets === undefined) return undefined;
  return Object.fromEntries(
    Object.entries(secrets).map(([name, value]) => [name, value === maskedValue ? null : value]),
  );
}
