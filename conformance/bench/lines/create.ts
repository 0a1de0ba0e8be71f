/** Creating agents with two blocks each: what is acknowledged survives a power cut on both databases. */
import { createAgent } from "../agents.ts";
import type { Line } from "../lines.ts";
import { measureLoad, readMemory, toRate } from "../measure.ts";
import { listDialects, startServer } from "../start.ts";
import type { Figure } from "../table.ts";

const targets = { sqlite: 1_000, postgres: 300 };

export const create: Line = {
  name: "create",
  async run() {
    const figures: Figure[] = [];
    for (const dialect of listDialects()) {
      const server = await startServer(dialect);
      const result = await measureLoad(server, [createAgent]);
      const about = { target: targets[dialect], old: "16-20/s" };
      const figure = await toRate(`create: agents with two blocks, ${dialect}`, result, about);
      const memory = readMemory(server.pid);
      const notes = [...(figure.notes ?? []), ...(memory ? [`then ${memory.toFixed(0)} MB`] : [])];
      figures.push({ ...figure, notes });
      await server.end();
    }
    return figures;
  },
};
