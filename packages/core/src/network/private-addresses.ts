/**
 * Which addresses the program may call on behalf of others. Whoever sends a request could otherwise have it knock at doors
 * inside the network it runs in. A name is judged by what it stands for at the moment of the call.
 */
import { type LookupAddress, type LookupAllOptions, lookup as lookUp } from "node:dns";
import { BlockList, isIP, type LookupFunction } from "node:net";

const inside = new BlockList();
for (const [address, bits] of [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  // Gives out what a machine in Azure is configured with, and looks like any other.
  ["168.63.129.16", 32],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["224.0.0.0", 4],
  ["240.0.0.0", 4],
] as const) {
  inside.addSubnet(address, bits, "ipv4");
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
  inside.addSubnet(address, bits, "ipv6");
}

/** Where clouds give out the credentials of a machine. */
const metadata = new BlockList();
for (const [address, bits] of [
  ["100.100.100.200", 32],
  ["168.63.129.16", 32],
  ["169.254.0.0", 16],
] as const) {
  metadata.addSubnet(address, bits, "ipv4");
}
for (const [address, bits] of [
  ["64:ff9b::a9fe:0", 112],
  ["fd00:ec2::254", 128],
  ["fe80::", 10],
] as const) {
  metadata.addSubnet(address, bits, "ipv6");
}
const metadataNames: ReadonlySet<string> = new Set(["metadata", "metadata.google.internal"]);

export function isMetadataAddress(address: string): boolean {
  const kind = isIP(address);
  return kind !== 0 && metadata.check(address, kind === 6 ? "ipv6" : "ipv4");
}

export function isInsideAddress(address: string): boolean {
  const kind = isIP(address);
  return kind === 0 || inside.check(address, kind === 6 ? "ipv6" : "ipv4");
}

/**
 * Why this address cannot be called; undefined if it can, as far as it can be told without looking up its name. `setting`
 * is where whoever runs Memoir allows hosts.
 */
export function findAddressFault(
  address: string,
  allowedHosts: readonly string[],
  setting = "MEMOIR_MCP_ALLOW_PRIVATE",
): string | undefined {
  const fault = findFormFault(address);
  if (fault !== undefined) return fault;
  const host = bareHost(new URL(address));
  if (allowedHosts.includes(host) || !isInsideName(host)) return undefined;
  return `leads to this machine or its own network: whoever runs Memoir can allow it by naming the host in ${setting}`;
}

/** The same for callers who may call this machine and its network: only metadata services are refused. */
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

/** Proxies and servers refuse longer ones; every address is measured here before it is parsed. */
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

function isInsideName(host: string): boolean {
  if (isIP(host) !== 0) return isInsideAddress(host);
  return !host.includes(".") || insideNames.test(host);
}

/** Names that only mean something inside a network. */
const insideNames = /\.(localhost|local|localdomain|internal|home\.arpa|svc)$/;

/** Finds all addresses of a name. */
export type FindAddresses = (
  host: string,
  options: LookupAllOptions,
  answer: (error: Error | null, found: LookupAddress[]) => void,
) => void;

/** A name stands for an address that may not be called. */
export class InsideAddressError extends Error {
  constructor(host: string) {
    super(`${host} leads to this machine or its own network`);
    this.name = "InsideAddressError";
  }
}

/** Gives the address that was looked at to whoever connects, so that a name cannot mean another one a moment later. */
export function lookUpOutside(allowedHosts: readonly string[], findAddresses: FindAddresses = lookUp): LookupFunction {
  return (host, options, answer) => {
    findAddresses(host, { ...options, all: true }, (error, found) => {
      const isAllowed =
        allowedHosts.includes(host.toLowerCase()) || !found?.some(({ address }) => isInsideAddress(address));
      const refused = error ?? (isAllowed ? null : new InsideAddressError(host));
      const [first] = found ?? [];
      if (refused || !first) answer(refused ?? new Error(`${host} has no address`), "", 0);
      else if (options.all) answer(null, found);
      else answer(null, first.address, first.family);
    });
  };
}
