/** What a server that nobody uses takes of the machine's memory. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Line } from "../lines.ts";
import { readMemory } from "../measure.ts";
import { listDialects, startServer } from "../start.ts";

export const idle: Line = {
  name: "idle",
  async run() {
    const servers = await Promise.all(
      listDialects().map(async (dialect) => ({ dialect, server: await startServer(dialect) })),
    );
    await sleep(5_000);
    const figures = servers.flatMap(({ dialect, server }) => {
      const value = readMemory(server.pid);
      const name = `idle: memory after 5 s, ${dialect}`;
      return value === undefined ? [] : [{ name, value, unit: "MB" as const, target: 120, old: "478 MB" }];
    });
    for (const { server } of servers) await server.end();
    return figures;
  },
};
