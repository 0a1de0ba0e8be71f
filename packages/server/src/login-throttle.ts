/** A brake on guessing the password: after so many wrong ones within a minute an address has to wait. */
import { isIPv6 } from "node:net";
import { MemoirError } from "@memoir/core";

export interface LoginThrottle {
  /** Throws while `address` has to wait; to be called before a password is compared. */
  check(address: string): void;
  /** Counts a wrong password. */
  fail(address: string): void;
}

const windowMs = 60_000;
const maxFailures = 30;
/** Programs of this machine, and everything behind a proxy on it, share one address. */
const maxLocalFailures = 300;
const maxAddresses = 10_000;

export function createLoginThrottle(now: () => number = Date.now): LoginThrottle {
  const counts = new Map<string, { readonly since: number; failures: number }>();
  const find = (network: string) => {
    const entry = counts.get(network);
    return entry && now() - entry.since < windowMs ? entry : undefined;
  };
  return {
    check(address) {
      const entry = find(networkOf(address));
      if (!entry || entry.failures < (isLocal(address) ? maxLocalFailures : maxFailures)) return;
      const seconds = Math.ceil((entry.since + windowMs - now()) / 1000);
      const message = `too many wrong passwords came from this address; try again in ${seconds} s`;
      throw new MemoirError("too-many-requests", message, { details: { retryAfter: seconds } });
    },
    fail(address) {
      const network = networkOf(address);
      const entry = find(network) ?? { since: now(), failures: 0 };
      entry.failures++;
      counts.delete(network);
      counts.set(network, entry);
      // The one that failed longest ago.
      const [oldest] = counts.keys();
      if (counts.size > maxAddresses && oldest !== undefined) counts.delete(oldest);
    },
  };
}

function isLocal(address: string): boolean {
  return address === "::1" || /^(::ffff:)?127\./.test(address);
}

/** A subscriber of IPv6 has a whole /64 to ask from. */
function networkOf(address: string): string {
  if (!isIPv6(address) || address.startsWith("::")) return address;
  const [head = ""] = address.split("::");
  const groups = head.split(":");
  return [...groups, "0", "0", "0", "0"].slice(0, 4).join(":");
}
