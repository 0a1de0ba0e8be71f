/** How tools get to the web: what the operator has set, and what agents bring themselves. */
import { bareHost, type FindAddresses } from "../../network/private-addresses.ts";
import type { OutsideCall } from "../tool.ts";
import { exaAddress } from "./exa.ts";
import type { SearchAccess } from "./search.ts";

/** What the operator has set; an agent's own secrets count before it. */
export interface WebAccess {
  readonly exaKey?: string;
  readonly tavilyKey?: string;
  /** Of a SearXNG of one's own. */
  readonly searxngUrl?: string;
  /** In place of the services' own addresses. */
  readonly exaUrl?: string;
  readonly tavilyUrl?: string;
  /** Hosts inside the own network whose pages may be read, and whose images messages may name. */
  readonly pageHosts?: readonly string[];
}

export interface WebTools {
  readonly web: WebAccess;
  /** Hosts inside the own network that an agent's own SearXNG may be at. */
  readonly allowedHosts: readonly string[];
  /** What is sealed for the agent, by name. */
  readonly readSecrets: (orgId: string, agentId: string) => Promise<Readonly<Record<string, string>>>;
  /** How names are looked up, in place of the usual way. */
  readonly findAddresses?: FindAddresses;
}

/** The address that a search service is at, and the host it may be on, wherever that is. */
export function accessAt(address: string, key?: string): Omit<SearchAccess, "signal"> {
  const url = URL.parse(address);
  return { address, ...(key === undefined ? {} : { key }), allowedHosts: url ? [bareHost(url)] : [] };
}

export async function findExaAccess(tools: WebTools, call: OutsideCall): Promise<SearchAccess | undefined> {
  const { EXA_API_KEY } = await tools.readSecrets(call.orgId, call.agentId);
  const { exaKey, exaUrl = exaAddress } = tools.web;
  const key = EXA_API_KEY || exaKey;
  return key ? { ...accessAt(exaUrl, key), signal: call.signal } : undefined;
}
