/** What clients do most: read an agent, list agents, change a block. */
import { type MadeAgent, makeAgents } from "../agents.ts";
import type { Line } from "../lines.ts";
import type { Request } from "../load.ts";
import { measureLoad, toRate } from "../measure.ts";
import { listDialects, startServer } from "../start.ts";
import type { Figure } from "../table.ts";

type Use = { name: string; requests: (agents: readonly MadeAgent[]) => Request[] };

const uses: readonly Use[] = [
  {
    name: "retrieve: one agent with everything it holds",
    requests: (agents) => agents.map(({ id }) => ({ method: "GET", path: `/v1/agents/${id}` })),
  },
  {
    name: "list: ten agents with everything they hold",
    requests: () => [{ method: "GET", path: "/v1/agents/?limit=10" }],
  },
  {
    name: "update: the text of a block",
    requests: (agents) =>
      agents.map(({ blocks }) => ({
        method: "PATCH",
        path: `/v1/blocks/${blocks[0]?.id}`,
        body: { value: "Name: Samira. Has written {n} times." },
      })),
  },
];

export const use: Line = {
  name: "retrieve list update",
  async run() {
    const figures: Figure[] = [];
    for (const dialect of listDialects()) {
      const server = await startServer(dialect);
      const agents = await makeAgents(server.url, 200);
      for (const { name, requests } of uses) {
        const result = await measureLoad(server, requests(agents), { warmUpMs: 1_000, measureMs: 2_000 });
        figures.push(await toRate(`${name}, ${dialect}`, result));
      }
      await server.end();
    }
    return figures;
  },
};
