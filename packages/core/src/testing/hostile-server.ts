/** A web server that answers as a test says, byte by byte if need be, under names that only the test knows. */
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import type { FindAddresses } from "../network/private-addresses.ts";

export interface HostileServer {
  readonly port: number;
  /** Paths that were asked for, with the host they were asked of. */
  readonly asked: readonly string[];
}

export async function startHostileServer(
  answer: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<HostileServer> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(`${request.headers.host}${request.url}`);
    answer(request, response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  });
  return { port: (server.address() as AddressInfo).port, asked };
}

/** Each name has the addresses of its list, one lookup after another; the last stays. */
export function fakeNames(names: Readonly<Record<string, readonly (readonly string[])[]>>): FindAddresses {
  const lookups = new Map<string, number>();
  return (host, _options, answer) => {
    const turns = names[host];
    if (!turns) return answer(new Error(`getaddrinfo ENOTFOUND ${host}`), []);
    const turn = lookups.get(host) ?? 0;
    lookups.set(host, turn + 1);
    const found = turns[Math.min(turn, turns.length - 1)] ?? [];
    return answer(
      null,
      found.map((address) => ({ address, family: address.includes(":") ? 6 : 4 })),
    );
  };
}
