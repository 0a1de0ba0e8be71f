/** What the database must hold when no run is open: every accepted message answered once, every edit made once. */
import { directedUsage } from "../support/directed-models.ts";
import type { Database } from "./database.ts";
import type { Query } from "./rows.ts";
import type { Said, Talker } from "./talkers.ts";

type Row = Record<string, unknown>;

export async function countOpenRuns(database: Database): Promise<number> {
  const rows = await database.look((query) => query("select id from run where ended_at is null"));
  return rows?.length ?? 0;
}

/** Everything that is wrong, in words. */
export async function checkTalk(database: Database, talkers: readonly Talker[]): Promise<string[]> {
  const problems = await database.look(async (query) => {
    const found: string[] = [];
    for (const talker of talkers) found.push(...(await checkTalker(query, talker)));
    found.push(...(await checkShared(query, talkers)), ...(await checkArchive(query, talkers)));
    return found;
  });
  return [...talkers.flatMap(({ complaints }) => complaints), ...(problems ?? ["there is no database"])];
}

async function checkTalker(query: Query, talker: Talker): Promise<string[]> {
  const { name, agentId, said } = talker;
  const problems: string[] = [];
  const rows = await query(`select role, content, tool_calls, tool_returns, run_id, in_context from message
    where agent_id = '${agentId}' order by seq`);
  const seen = rows.filter(({ role }) => role !== "system");
  const heard = seen.filter(({ role }) => role === "user").map(textOf);
  for (const each of said) {
    const count = heard.filter((text) => text === each.text).length;
    if (count > 1) problems.push(`${name}: ${each.own} is there ${count} times`);
    if (each.isAnswered && count === 0) problems.push(`${name}: ${each.own} was answered and is not there`);
    if (each.isKept !== undefined && each.isKept !== count > 0)
      problems.push(`${name}: ${each.own} came or went later`);
    each.isKept = count > 0;
  }
  const kept = heard.map((text) => said.find((each) => each.text === text));
  if (kept.includes(undefined)) return [...problems, `${name}: nobody said some of ${JSON.stringify(heard)}`];
  const turns = kept as Said[];
  const [told, wanted] = [seen.map(tell), turns.flatMap(tellTurn)];
  const at = told.findIndex((line, index) => line !== wanted[index]);
  if (at !== -1 || told.length !== wanted.length) {
    const place = at === -1 ? told.length : at;
    problems.push(`${name}: message ${place} of ${told.length} is ${told[place]}, should be ${wanted[place]}`);
  }
  if (seen.some(({ in_context }) => Number(in_context) !== 1)) problems.push(`${name}: not all is in the context`);
  const [block] = await query(`select value from block where id in
    (select block_id from agent_block where agent_id = '${agentId}' and label = 'human')`);
  problems.push(...compare(`${name}: the block`, block?.value, ["Facts:", ...turns.map(({ own }) => own)].join("\n")));
  problems.push(...(await checkRuns(query, talker, seen, turns)));
  return problems;
}

/** One run and the usage of an uncut one for each message. */
async function checkRuns(query: Query, { name, agentId }: Talker, seen: Row[], turns: Said[]): Promise<string[]> {
  const runs = await query(`select id, status, stop_reason from run where agent_id = '${agentId}' order by seq`);
  const steps = await query(`select run_id, status, prompt_tokens, completion_tokens, total_tokens, cached_tokens
    from step where agent_id = '${agentId}'`);
  const users = seen.filter(({ role }) => role === "user");
  const { prompt, completion, cached } = directedUsage;
  const told = runs.map((run) => ({
    ...run,
    steps: steps.filter((step) => step.run_id === run.id).map(({ run_id: _, ...rest }) => ({ ...rest })),
  }));
  const step = {
    status: "success",
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
    cached_tokens: cached,
  };
  const wanted = turns.map((turn, index) => ({
    id: users[index]?.run_id,
    status: "completed",
    stop_reason: "end_turn",
    steps: Array.from({ length: turn.steps }, () => step),
  }));
  return compare(`${name}: the runs`, JSON.stringify(told), JSON.stringify(wanted));
}

async function checkShared(query: Query, talkers: readonly Talker[]): Promise<string[]> {
  const [block] = await query("select value from block where label = 'team'");
  const [first, ...lines] = String(block?.value).split("\n");
  const wanted = talkers.flatMap(({ said }) => said.filter(({ isKept }) => isKept).map(({ shared }) => shared));
  return compare(
    "the shared block",
    [first, ...lines.toSorted()].join("\n"),
    ["Team:", ...wanted.toSorted()].join("\n"),
  );
}

async function checkArchive(query: Query, talkers: readonly Talker[]): Promise<string[]> {
  const passages = (await query("select body from passage")).map(({ body }) => String(body));
  const kept = talkers.flatMap(({ said }) => said.filter(({ isKept }) => isKept));
  const wanted = kept.flatMap(({ archived }) => archived ?? []);
  return compare("the archives", passages.toSorted().join("\n"), wanted.toSorted().join("\n"));
}

function compare(what: string, ours: unknown, wanted: string): string[] {
  return ours === wanted ? [] : [`${what} should be\n${wanted}\nand is\n${ours}`];
}

function tell(row: Row): string {
  const calls = JSON.parse(String(row.tool_calls ?? "null")) ?? [];
  const returns = JSON.parse(String(row.tool_returns ?? "null")) ?? [];
  const words = [
    ...calls.map((call: { name: string; arguments: string }) => `${call.name} ${call.arguments}`),
    ...returns.map((item: { name: string; status: string }) => `${item.name} ${item.status}`),
  ];
  return [row.role, textOf(row), ...words].filter(Boolean).join(": ");
}

function tellTurn({ text, answer }: Said): string[] {
  const calls = text.split("\n").flatMap((line) => (line.startsWith("!tool ") ? [line.slice(6)] : []));
  return [
    `user: ${text}`,
    ...calls.flatMap((call) => [`assistant: ${call}`, `tool: ${call.split(" ", 1)[0]} success`]),
    `assistant: ${answer}`,
  ];
}

function textOf({ content }: Row): string {
  const parts = (JSON.parse(String(content ?? "null")) ?? []) as { text?: string }[];
  return parts.map(({ text = "" }) => text).join("");
}
