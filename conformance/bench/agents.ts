/** The agents of the bench: made the usual way, with two blocks of the usual kind. */
import { MODEL } from "../crash/operations.ts";
import type { Request } from "./load.ts";

export const createAgent: Request = {
  method: "POST",
  path: "/v1/agents/",
  body: {
    name: "bench {n}",
    model: MODEL,
    memory_blocks: [
      { label: "human", value: "Name: Samira {n}. Lives in Lisbon, has two cats, likes short answers." },
      { label: "persona", value: "I am a patient assistant who remembers what matters." },
    ],
  },
};

export type MadeAgent = { id: string; blocks: { id: string }[] };

export async function makeAgents(url: string, count: number): Promise<MadeAgent[]> {
  const body = JSON.stringify(createAgent.body).replaceAll("{n}", "0");
  const make = async (): Promise<MadeAgent> => {
    const headers = { "content-type": "application/json" };
    const answer = await fetch(`${url}${createAgent.path}`, { method: "POST", headers, body });
    if (!answer.ok) throw new Error(`no agent could be made: ${await answer.text()}`);
    return (await answer.json()) as MadeAgent;
  };
  return await Promise.all(Array.from({ length: count }, make));
}
