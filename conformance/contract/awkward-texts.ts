/** Sends awkward texts to every place that takes one, and measures what they cost the server. */
import { defaultOrgId } from "@memoir/core";
import type { TestContext } from "vitest";
import { type Listed, listOperations, type OpenApi } from "./walk/contract.ts";
import { refusals, requests } from "./walk/requests.ts";
import { compose, send, startWalkServer } from "./walk/send.ts";
import { listTextPlaces, type TextPlace } from "./walk/text-places.ts";
import { createThings, isMade, type Tenant, type Things } from "./walk/things.ts";

const repeated = [
  " ",
  ".",
  "/",
  "\\",
  "\n",
  "\t",
  "<",
  ">",
  "(",
  "[",
  "{",
  '"',
  "'",
  "`",
  "/*",
  "*",
  "-",
  "_",
  "@",
  "a",
  "==1 ",
  "é",
];
const openings = ["", "<", "(", '"', "/*"];

/** A text of about so many characters, which ends in a letter: patterns for the end of a text do not fit it. */
export const awkwardTexts: readonly ((length: number) => string)[] = openings.flatMap((opening) =>
  repeated.map((part) => (length: number) => `${opening}${part.repeat(Math.ceil(length / part.length))}x`),
);

const length = 100_000;
/** Addresses have 16 KiB, and most of these characters take three. */
const addressLength = 2_000;
/** Costs below this are not looked at: they are mostly those of everything else that goes on. */
const floorMs = 300;
const attempts = 3;

/** Which of the texts are sent to the place of this number. */
export type Choose = (place: number) => readonly number[];

export interface AwkwardReport {
  readonly places: number;
  /** By operation, place and number of the text. */
  readonly problems: readonly string[];
}

export async function findAwkward(context: TestContext, choose: Choose): Promise<AwkwardReport> {
  const { url, database, modelServer, gate } = await startWalkServer("sqlite", context, {}, answerBriefly);
  gate.open();
  const document = (await (await fetch(`${url}/openapi.json`)).json()) as OpenApi;
  const tenant: Tenant = { url, headers: {}, database, orgId: defaultOrgId, mark: "walk", modelServer };
  const problems: string[] = [];
  let places = 0;
  for (const listed of listOperations(document)) {
    for (const place of listTextPlaces(document, listed)) {
      for (const index of choose(places++)) {
        const measure = (size: number) =>
          measureText(tenant, document, listed, place, awkwardTexts[index]?.(size) ?? "");
        const problem = await judge(measure, place.name.startsWith("body") ? length : addressLength);
        if (problem) problems.push(`${listed.name} ${place.name}, text ${index}: ${problem}`);
      }
    }
  }
  return { places, problems };
}

/** Models would repeat a text without directions piece by piece, and what that costs would be counted. */
const answerBriefly = (text: string) => (text.length > 1_000 ? "!say hello" : undefined);

interface Measured {
  /** Milliseconds of CPU time, which a busy machine does not stretch. */
  readonly cost: number;
  readonly fault: string | undefined;
}

async function judge(measure: (size: number) => Promise<Measured>, size: number): Promise<string | undefined> {
  const { cost, fault } = await measure(size);
  if (fault || cost < floorMs) return fault;
  let [once, twice] = [cost, Number.POSITIVE_INFINITY];
  // What goes on besides cannot account for seconds.
  for (let left = cost > 10 * floorMs ? 1 : attempts; left > 0; left--) {
    twice = Math.min(twice, (await measure(2 * size)).cost);
    if (twice < 3 * Math.max(once, floorMs)) return undefined;
    if (left > 1) once = Math.max(once, (await measure(size)).cost);
  }
  return `${Math.round(once)} ms of CPU, and ${Math.round(twice)} for twice the text`;
}

/** With things of its own: what an earlier text left behind would be counted too. */
async function measureText(
  tenant: Tenant,
  document: OpenApi,
  listed: Listed,
  place: TextPlace,
  text: string,
): Promise<Measured> {
  const made = createThings(tenant);
  const things: Things = (name) => (isMade(name) ? made(name) : Promise.resolve("unknown"));
  const request = place.put(await compose(document, listed, things), text);
  await requests[listed.name]?.before?.(things, tenant);
  const begun = process.cpuUsage();
  const answer = await send(tenant.url, request);
  const said = await answer.text();
  const { user, system } = process.cpuUsage(begun);
  const fault = findFault(answer, said, refusals[listed.name]?.status);
  return { cost: (user + system) / 1_000, fault };
}

function findFault({ status, headers }: Response, text: string, refusal: number | undefined): string | undefined {
  if (status >= 500 && status !== refusal && status !== 501) return `${status} ${text.slice(0, 200)}`;
  if (status < 400) return undefined;
  const isJson = headers.get("content-type")?.startsWith("application/json") ?? false;
  const isOurs = isJson && /^\{"(trace_id|detail|error)"/.test(text);
  return isOurs ? undefined : `${status}, not in our form: ${text.slice(0, 200)}`;
}
