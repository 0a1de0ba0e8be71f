/**
 * Which addresses a stored provider may have. Local servers are what many people store, so private addresses are fine;
 * those that only machines in a data centre use to learn their own credentials are not.
 */
import { isIP } from "node:net";
import { MemoirError } from "../errors.ts";

export function checkAddress(address: string): void {
  const url = URL.parse(address);
  const reason = !url ? "is not an address such as https://api.example.com/v1" : findFault(url);
  if (reason === undefined) return;
  throw new MemoirError("invalid-argument", `base_url "${shorten(address)}" ${reason}`, {
    details: { field: "base_url" },
  });
}

function findFault({ protocol, username, password, hostname }: URL): string | undefined {
  if (protocol !== "http:" && protocol !== "https:") return "must begin with http:// or https://";
  if (username || password) return "must not hold a user name or password: keys belong into api_key";
  if (isMetadataHost(hostname)) return "is where machines keep credentials, which no provider is";
  return undefined;
}

/** Link-local addresses, under which clouds serve metadata, and the names they have there. */
function isMetadataHost(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, "").toLowerCase();
  if (isIP(host) === 4) return host.startsWith("169.254.") || host === "100.100.100.200";
  if (isIP(host) === 6) return /^fe[89ab]/.test(host) || /^::ffff:a9fe:/.test(host) || host === "fd00:ec2::254";
  return host === "metadata.google.internal" || host === "metadata";
}

function shorten(text: string): string {
  return text.length <= 200 ? text : `${text.slice(0, 200)}…`;
}
