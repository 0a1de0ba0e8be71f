/**
 * How models are reached at addresses that callers of the API gave: `model_endpoint`, `embedding_endpoint`, the `base_url`
 * of a stored provider. Metadata services are always refused; a guarded program refuses its whole own network.
 */
import { lookup as lookUp } from "node:dns";
import {
  bareHost,
  type FindAddresses,
  findAddressFault,
  findMetadataFault,
  guardedLookup,
  isMetadataAddress,
  isPrivateAddress,
  PrivateAddressError,
} from "../network/private-addresses.ts";
import { createModelError } from "./errors.ts";
import { createPinnedFetch } from "./pinned-fetch.ts";

/** The setting that names allowed hosts. */
export const modelHostsSetting = "MEMOIR_MODEL_ALLOW_PRIVATE";

export interface AddressRules {
  /** Hosts that may be called wherever they are. In lower case. */
  readonly allowedHosts: readonly string[];
  /** Whether addresses inside the own network are refused. Asked for each call: keys may be made meanwhile. */
  readonly isGuarded: () => Promise<boolean>;
}

export interface ForeignFetchOptions extends AddressRules {
  /** How providers are reached otherwise. */
  readonly fetch: typeof fetch;
  /** `fetch` was handed in by the embedding program: it makes all connections, and decides where names lead. */
  readonly isFetchGiven: boolean;
  readonly findAddresses?: FindAddresses;
}

export async function findModelAddressFault(address: string, rules: AddressRules): Promise<string | undefined> {
  const find = (await rules.isGuarded()) ? findAddressFault : findMetadataFault;
  return find(address, rules.allowedHosts, modelHostsSetting);
}

export function createForeignFetch(options: ForeignFetchOptions): typeof globalThis.fetch {
  const { allowedHosts, isFetchGiven, fetch, findAddresses = lookUp } = options;
  const pinned = createPinnedFetch(guardedLookup(allowedHosts, findAddresses));
  return async (input, init) => {
    const address = input instanceof Request ? input.url : String(input);
    const fault = await findModelAddressFault(address, options);
    if (fault !== undefined) throw refuse(address, fault);
    const isGuarded = await options.isGuarded();
    if (isGuarded && !isFetchGiven) return await connect(pinned, input, init);
    if (!isFetchGiven || isGuarded) await rejectName(address, isGuarded, allowedHosts, findAddresses);
    return await fetch(input, init);
  };
}

async function connect(pinned: typeof fetch, input: string | URL | Request, init?: RequestInit): Promise<Response> {
  try {
    return await pinned(input, init);
  } catch (error) {
    if (!(error instanceof PrivateAddressError)) throw error;
    throw refuse(input instanceof Request ? input.url : String(input), describeInside);
  }
}

const describeInside = `leads to this machine or its own network: whoever runs Memoir can allow it by naming the host in ${modelHostsSetting}`;

/** Without a connection of our own a name is judged before it is called. One that cannot be looked up fails by itself. */
async function rejectName(
  address: string,
  isGuarded: boolean,
  allowedHosts: readonly string[],
  findAddresses: FindAddresses,
): Promise<void> {
  const host = bareHost(new URL(address));
  if (allowedHosts.includes(host)) return;
  const found = await new Promise<string[]>((resolve) =>
    findAddresses(host, { all: true }, (error, list) => resolve(error ? [] : list.map((each) => each.address))),
  );
  if (found.some(isGuarded ? isPrivateAddress : isMetadataAddress)) throw refuse(address, describeInside);
}

function refuse(address: string, fault: string): Error {
  const shown = URL.parse(address)?.origin ?? "of the model";
  return createModelError("llm-bad-request", `the address ${shown} ${fault}`, { provider: "", model: "" });
}
