/** Parsers of settings. Each throws an error whose message follows the name of the setting. */
import { resolveDatabase } from "@memoir/core";

export const parseText = (text: string) => text;

export const parseList = (text: string) =>
  text
    .split(",")
    .map((item) => item.trim())
    .filter((item) => item !== "");

export const parseLines = (text: string) =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");

export function oneOf<const V extends string>(...choices: readonly V[]) {
  return (text: string): V => {
    const choice = choices.find((candidate) => candidate === text);
    if (choice === undefined) throw new Error(`must be one of ${choices.join(", ")}, not "${text}"`);
    return choice;
  };
}

export function parsePort(text: string): number {
  const port = /^\d+$/.test(text) ? Number(text) : -1;
  if (port < 0 || port > 65_535) throw new Error(`must be a port from 0 to 65535, not "${text}"`);
  return port;
}

export function parseCount(text: string): number {
  const count = /^\d+$/.test(text) ? Number(text) : 0;
  if (count < 1) throw new Error(`must be a number of 1 or more, not "${text}"`);
  return count;
}

export function parseSeconds(text: string): number {
  const seconds = /^\d+(\.\d+)?$/.test(text.trim()) ? Number(text) : 0;
  if (seconds <= 0 || seconds > 86_400) throw new Error(`must be a number of seconds, at most a day, not "${text}"`);
  return seconds;
}

const minModelSeconds = 10;

export function parseModelSeconds(text: string): number {
  const seconds = parseSeconds(text);
  if (seconds < minModelSeconds) throw new Error(`must be ${minModelSeconds} seconds or more, not "${text}"`);
  return seconds;
}

export function parseDays(text: string): number {
  const days = /^\d+(\.\d+)?$/.test(text.trim()) ? Number(text) : -1;
  if (days < 0 || days > 36_500) throw new Error(`must be a number of days, 0 for none, not "${text}"`);
  return days;
}

export function parseAddress(text: string): string {
  const protocol = URL.parse(text)?.protocol;
  if (protocol !== "http:" && protocol !== "https:")
    throw new Error(`must begin with http:// or https://, not "${text}"`);
  return text;
}

export function parseWebhook(text: string): string {
  const { username, password } = new URL(parseAddress(text));
  if (username || password) throw new Error("must not hold a password: set STEP_COMPLETE_KEY, which is sent along");
  return text;
}

/** In the form that the Standard Webhooks specification gives secrets, or any text. */
export function parseSecret(text: string): string {
  const secret = text.trim();
  const isFaulty = secret.startsWith("whsec_") && !/^whsec_[A-Za-z0-9+/]{8,}={0,2}$/.test(secret);
  if (isFaulty) throw new Error("must be base64 after whsec_");
  if (secret === "") throw new Error("must not be empty");
  return secret;
}

export function parsePath(text: string, home: string): string {
  return text.replace(/^~(?=\/)/, home);
}

export function parseDatabase(text: string, home: string): string {
  if (text.trim() === "") throw new Error("must be a file path or a postgres:// address");
  // The old server's addresses name a Python driver.
  const address = text.replace(/^(postgres(?:ql)?)\+\w+:\/\//, "$1://");
  return resolveDatabase(parsePath(address, home));
}
