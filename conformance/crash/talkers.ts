/**
 * Clients that talk to agents of their own while the server is killed. What a message makes its agent do stands in the
 * message: a line for its own block, a line for a block all agents share, and sometimes a passage for its archive.
 */
import { directedUsage } from "../support/directed-models.ts";
import type { Random } from "./random.ts";

export interface Said {
  readonly text: string;
  readonly own: string;
  readonly shared: string;
  readonly archived: string | undefined;
  readonly answer: string;
  /** Model calls that the turn takes. */
  readonly steps: number;
  isAnswered: boolean;
  /** Whether it was accepted; known after the first restart. */
  isKept: boolean | undefined;
}

export interface Talker {
  readonly name: string;
  readonly random: Random;
  agentId: string;
  readonly said: Said[];
  /** Answers that are not what they should be. */
  readonly complaints: string[];
}

export function createTalker(name: string, random: Random): Talker {
  return { name, random: random.fork(name), agentId: "", said: [], complaints: [] };
}

export async function createAgents(url: string, talkers: readonly Talker[]): Promise<void> {
  const shared = await post<{ id: string }>(`${url}/v1/blocks/`, { label: "team", value: "Team:" });
  for (const talker of talkers) {
    const agent = await post<{ id: string }>(`${url}/v1/agents/`, {
      name: talker.name,
      model: "openai/gpt-4o-mini",
      memory_blocks: [{ label: "human", value: "Facts:" }],
      block_ids: [shared.id],
    });
    talker.agentId = agent.id;
  }
}

/** Says one thing after the other, now and then two at once, until the server is gone or `stop` says so. */
export async function talk(url: string, talker: Talker, stop: AbortSignal): Promise<void> {
  let isThere = true;
  while (isThere && !stop.aborted) {
    const count = talker.random.isOneIn(3) ? 2 : 1;
    const results = await Promise.all(Array.from({ length: count }, () => sayNext(url, talker)));
    isThere = results.every(Boolean);
  }
}

/** False when there was no answer. */
export async function sayNext(url: string, talker: Talker): Promise<boolean> {
  const said = compose(talker);
  talker.said.push(said);
  let answer: Response;
  let text: string;
  try {
    answer = await send(`${url}/v1/agents/${talker.agentId}/messages`, { input: said.text });
    text = await answer.text();
  } catch {
    return false;
  }
  const complaint = answer.ok ? compareAnswer(said, text) : `was answered ${answer.status}: ${text}`;
  if (complaint) talker.complaints.push(`${talker.name}: ${JSON.stringify(said.text)} ${complaint}`);
  said.isAnswered = true;
  return true;
}

function compose({ name, said, random }: Talker): Said {
  const mark = `${name}-${said.length + 1}`;
  const own = `${mark} own`;
  const shared = `${mark} shared`;
  const archived = random.isOneIn(2) ? `${mark} archived` : undefined;
  const answer = `${mark} is done`;
  const lines = [
    `This is ${mark}.`,
    direct("memory_insert", { label: "human", new_string: own }),
    direct("memory_insert", { label: "team", new_string: shared }),
    ...(archived === undefined ? [] : [direct("archival_memory_insert", { content: archived })]),
    `!say ${answer}`,
  ];
  const steps = archived === undefined ? 3 : 4;
  return { text: lines.join("\n"), own, shared, archived, answer, steps, isAnswered: false, isKept: undefined };
}

const direct = (tool: string, args: object) => `!tool ${tool} ${JSON.stringify(args)}`;

function compareAnswer({ answer, steps }: Said, text: string): string | undefined {
  const { messages, usage, stop_reason } = JSON.parse(text);
  const seen = [messages.at(-1)?.content, stop_reason.stop_reason, usage.step_count, usage.total_tokens];
  const wanted = [answer, "end_turn", steps, steps * (directedUsage.prompt + directedUsage.completion)];
  const isRight = JSON.stringify(seen) === JSON.stringify(wanted) && messages.length === steps * 2 - 1;
  return isRight ? undefined : `was answered ${text}`;
}

function send(url: string, body: object): Promise<Response> {
  return fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
}

async function post<Answer>(url: string, body: object): Promise<Answer> {
  const answer = await send(url, body);
  if (!answer.ok) throw new Error(`${url} answered ${answer.status}: ${await answer.text()}`);
  return (await answer.json()) as Answer;
}
