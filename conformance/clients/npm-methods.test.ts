/**
 * Every method of the official npm client whose operation the contract lists is called once, and its answer fits the
 * contract. The methods are those that the package has: one that a newer version adds is called without being listed here.
 */
import { defaultOrgId } from "@memoir/core";
import { expect, test } from "vitest";
import { contract, type Listed, listOperations, sampleBody } from "../contract/walk/contract.ts";
import { judge } from "../contract/walk/judge.ts";
import { fill, refusals, requests } from "../contract/walk/requests.ts";
import { startWalkServer } from "../contract/walk/send.ts";
import { createThings, type Tenant } from "../contract/walk/things.ts";
import { loadClient } from "../support/npm-client.ts";

const operations = listOperations(contract);

interface Method {
  /** `agents.blocks.attach`. */
  readonly name: string;
  readonly call: (...words: unknown[]) => Promise<unknown>;
}

/** The methods of all resources, found on their prototypes. */
function listMethods(resource: object, path: readonly string[] = []): Method[] {
  const own = Object.getOwnPropertyNames(Object.getPrototypeOf(resource)).filter((name) => name !== "constructor");
  const methods = own.map((name) => ({
    name: [...path, name].join("."),
    call: (resource as Record<string, Method["call"]>)[name]?.bind(resource) as Method["call"],
  }));
  const inner = Object.entries(resource).filter(([name, value]) => isResource(name, value));
  return [
    ...(path.length > 0 ? methods : []),
    ...inner.flatMap(([name, value]) => listMethods(value, [...path, name])),
  ];
}

const isResource = (name: string, value: unknown): value is object =>
  !name.startsWith("_") && typeof value === "object" && value !== null && "_client" in value;

interface Found {
  readonly listed: Listed;
  /** Which of the path's names the first argument stands for, if any. */
  readonly first: string | undefined;
  /** The names that stand among the parameters, by the names they have in the path. */
  readonly others: Readonly<Record<string, string>>;
}

/** Stands for every id that a method looks for among its parameters. */
const anyId = new Proxy({}, { get: (_, name) => (/_id$/.test(String(name)) ? `any-${String(name)}` : undefined) });

test("every method of the npm client that the contract lists succeeds, with an answer that fits", {
  timeout: 300_000,
}, async (context) => {
  const Letta = await loadClient(context);
  const { url, errors, database, modelServer, gate } = await startWalkServer("sqlite", context);
  const tenant: Tenant = { url, headers: {}, database, orgId: defaultOrgId, mark: "walk", modelServer };
  let asked: { method: string; path: string } | undefined;
  const refuse = async (address: string | URL, init?: RequestInit): Promise<Response> => {
    asked = { method: init?.method?.toUpperCase() ?? "GET", path: new URL(address).pathname };
    throw new Error("asked");
  };
  const answers: { answer: Response; text: Promise<string> }[] = [];
  const pass = async (address: string | URL, init?: RequestInit): Promise<Response> => {
    const answer = await fetch(address, init);
    answers.push({ answer, text: answer.clone().text() });
    gate.open();
    return answer;
  };
  const create = (fetcher: typeof refuse) =>
    new Letta({ baseURL: url, apiKey: "any", maxRetries: 0, fetch: fetcher } as never) as object;
  const blind = new Map(listMethods(create(refuse)).map(({ name, call }) => [name, call]));
  const problems: string[] = [];
  let called = 0;
  for (const { name, call } of listMethods(create(pass))) {
    const found = await discover(async (...words) => {
      asked = undefined;
      try {
        await blind.get(name)?.(...words);
      } catch {
        // Nothing is sent, or arguments do not fit: what was asked for says which.
      }
      return asked;
    });
    if (!found) continue;
    called++;
    gate.close();
    const { listed, first, others } = found;
    const things = createThings(tenant);
    const least = listed.method === "GET" ? undefined : sampleBody(contract, listed.operation);
    const { use = {}, query = "", body = least, form, before } = requests[listed.name] ?? {};
    const idOf = (part: string) => things(use[part] ?? part);
    const input = JSON.stringify({ ...Object.fromEntries(new URLSearchParams(query)), ...(body as object) });
    const parameters: Record<string, unknown> = JSON.parse(await fill(input, things, use));
    if (form) parameters.file = new File([form.text], form.name, { type: form.type });
    for (const [part, word] of Object.entries(others)) parameters[word] = await idOf(part);
    const words = first === undefined ? [parameters] : [await idOf(first), parameters];
    await before?.(things, tenant);
    answers.length = 0;
    const result = await (async () => await call(...words))().catch((error: Error) => error);
    if (!(result instanceof Error) && isStream(result)) await Array.fromAsync(result);
    const last = answers.at(-1);
    const text = await last?.text;
    const problem = last && text !== undefined ? judge(listed, last.answer, text) : "sends nothing";
    if (problem) problems.push(`${name}: ${listed.name}: ${problem}: ${text?.slice(0, 300)}`);
    else if (result instanceof Error && !refusals[listed.name]) problems.push(`${name}: fails: ${result}`);
  }
  expect(problems).toEqual([]);
  expect(called).toBeGreaterThan(100);
  expect(errors).toEqual([]);
});

const isStream = (value: unknown): value is AsyncIterable<unknown> =>
  Object(value).constructor?.name === "Stream" && Symbol.asyncIterator in Object(value);

/** Which operation a method asks for, and where its arguments go. */
async function discover(
  ask: (...words: unknown[]) => Promise<{ method: string; path: string } | undefined>,
): Promise<Found | undefined> {
  const asked = (await ask("any-first", anyId)) ?? (await ask(anyId));
  if (!asked) return undefined;
  const candidates = operations.flatMap((listed) => {
    const names = [...listed.path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
    const form = new RegExp(`^${listed.path.replaceAll(/\{\w+\}/g, "([^/]+)").replace(/\/$/, "")}/?$`);
    const match = listed.method === asked.method ? form.exec(asked.path) : null;
    return match ? [{ listed, names, values: match.slice(1) }] : [];
  });
  // A path with fewer names is the closer one: `/v1/tools/search` is no tool.
  const [best] = candidates.sort((left, right) => left.names.length - right.names.length);
  if (!best) return undefined;
  const pairs = best.names.map((name, index) => [name, best.values[index] ?? ""] as const);
  const others = pairs.filter(([, value]) => value !== "any-first").map(([name, value]) => [name, value.slice(4)]);
  return {
    listed: best.listed,
    first: pairs.find(([, value]) => value === "any-first")?.[0],
    others: Object.fromEntries(others),
  };
}
