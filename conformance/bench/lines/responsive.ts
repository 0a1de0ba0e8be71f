/** Whether others are kept waiting while 64 callers write. The server measures itself, see loop-delay.ts. */
import { createAgent } from "../agents.ts";
import { readDelays } from "../delays.ts";
import type { Line } from "../lines.ts";
import { measureLoad } from "../measure.ts";
import { listDialects, startServer } from "../start.ts";
import type { Figure } from "../table.ts";

export const responsive: Line = {
  name: "event loop",
  async run() {
    const figures: Figure[] = [];
    for (const dialect of listDialects()) {
      const server = await startServer(dialect, true);
      await measureLoad(server, [createAgent], { measureMs: 0 });
      await readDelays(server);
      await measureLoad(server, [createAgent], { warmUpMs: 0 });
      const { p50, p99, max } = await readDelays(server);
      const notes = [`p50 ${p50.toFixed(1)} ms`, `longest ${max.toFixed(1)} ms`];
      const name = `event loop: delay p99 with 64 writers, ${dialect}`;
      figures.push({ name, value: p99, unit: "ms", target: 20, notes });
      await server.end();
    }
    return figures;
  },
};
