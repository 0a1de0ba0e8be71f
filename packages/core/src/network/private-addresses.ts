/**
 * Protects against server-side request forgery: decides which addresses Memoir may call for a client. Names are checked
 * by the address they resolve to at connect time.
 */
import { type LookupAddress, type LookupAllOptions, lookup as lookUp } from "node:dns";
import { BlockList, isIP, type LookupFunction } from "node:net";

const privateRanges = new BlockList();
for (const [address, bits] of [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  // Azure's WireServer hands out machine configuration at a public address.
  ["168.63.129.16", 32],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["224.0.0.0", 4],
  ["240.0.0.0", 4],
] as const) {
  privateRanges.addSubnet(address, bits, "ipv4");
}
for (const [address, bits] of [
  ["::", 96],
  ["::ffff:0:0:0", 96],
  ["64:ff9b::", 96],
  ["64:ff9b:1::", 48],
  ["100::", 64],
  ["2001::", 32],
  ["2002::", 16],
  ["fc00::", 7],
  ["fe80::", 9],
  ["ff00::", 8],
] as const) {
  privateRanges.addSubnet(address, bits, "ipv6");
}

/** Metadata services, which hand out credentials of the machine. */
const metadataRanges = new BlockList();
for (const [address, bits] of [
  ["100.100.100.200", 32],
  ["168.63.129.16", 32],
  ["169.254.0.0", 16],
] as const) {
  metadataRanges.addSubnet(address, bits, "ipv4");
}
for (const [address, bits] of [
  ["64:ff9b::a9fe:0", 112],
  ["fd00:ec2::254", 128],
  ["fe80::", 10],
] as const) {
  metadataRanges.addSubnet(address, bits, "ipv6");
}
const metadataNames: ReadonlySet<string> = new Set(["metadata", "metadata.google.internal"]);

export function isMetadataAddress(address: string): boolean {
  const kind = isIP(address);
  return kind !== 0 && metadataRanges.check(address, kind === 6 ? "ipv6" : "ipv4");
}

export function isPrivateAddress(address: string): boolean {
  const kind = isIP(address);
  return kind === 0 || privateRanges.check(address, kind === 6 ? "ipv6" : "ipv4");
}

/**
 * Returns why `address` must not be called, or undefined if it may, without resolving names; `setting` names the
 * allow-list in the message.
 */
export function findAddressFault(
  address: string,
  allowedHosts: readonly string[],
  setting = "MEMOIR_MCP_ALLOW_PRIVATE",
): string | undefined {
  const fault = findFormFault(address);
  if (fault !== undefined) return fault;
  const host = bareHost(new URL(address));
  if (allowedHosts.includes(host) || !isPrivateName(host)) return undefined;
  return `leads to this machine or its own network: whoever runs Memoir can allow it by naming the host in ${setting}`;
}

/** Like `findAddressFault` for callers with access to the local network: rejects metadata services only. */
export function findMetadataFault(
  address: string,
  allowedHosts: readonly string[],
  setting: string,
): string | undefined {
  const fault = findFormFault(address);
  if (fault !== undefined) return fault;
  const host = bareHost(new URL(address));
  if (allowedHosts.includes(host) || !(isMetadataAddress(host) || metadataNames.has(host))) return undefined;
  return `is where machines keep credentials: whoever runs Memoir can allow it by naming the host in ${setting}`;
}

/** Proxies and servers reject longer addresses; the length is checked before parsing. */
const maxAddressLength = 4_000;

function findFormFault(address: string): string | undefined {
  if (address.length > maxAddressLength) return `is longer than ${maxAddressLength} characters`;
  const url = URL.parse(address);
  if (!url || (url.protocol !== "http:" && url.protocol !== "https:")) {
    return "is not an address that begins with http:// or https://";
  }
  return url.username || url.password ? "must not hold a user name or password" : undefined;
}

export function bareHost({ hostname }: URL): string {
  return hostname
    .replace(/^\[|\]$/g, "")
    .replace(/\.$/, "")
    .toLowerCase();
}

function isPrivateName(host: string): boolean {
  if (isIP(host) !== 0) return isPrivateAddress(host);
  return !host.includes(".") || privateNames.test(host);
}

/** Top-level names reserved for local networks. */
const privateNames = /\.(localhost|local|localdomain|internal|home\.arpa|svc)$/;

/** Resolves a name to all its addresses, like `dns.lookup`. */
export type FindAddresses = (
  host: string,
  options: LookupAllOptions,
  answer: (error: Error | null, found: LookupAddress[]) => void,
) => void;

/** A name resolved to a private address. */
export class PrivateAddressError extends Error {
  constructor(host: string) {
    super(`${host} leads to this machine or its own network`);
    this.name = "PrivateAddressError";
  }
}

/** Returns a lookup that connects to the address it checked, so that DNS rebinding cannot replace it. */
export function guardedLookup(allowedHosts: readonly string[], findAddresses: FindAddresses = lookUp): LookupFunction {
  return (host, options, answer) => {
    findAddresses(host, { ...options, all: true }, (error, found) => {
      const isAllowed =
        allowedHosts.includes(host.toLowerCase()) || !found?.some(({ address }) => isPrivateAddress(address));
      const refused = error ?? (isAllowed ? null : new PrivateAddressError(host));
      const [first] = found ?? [];
      if (refused || !first) answer(refused ?? new Error(`${host} has no address`), "", 0);
      else if (options.all) answer(null, found);
      else answer(null, first.address, first.family);
    });
  };
}
