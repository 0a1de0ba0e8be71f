/**
 * Providers whose answers stand in the message itself, so that a test in any language, a recording and a process that is
 * killed and started again are all told the same. A line of what the user said is one direction:
 *
 *     !tool NAME {...}    call a tool; the next such line is for the next step
 *     !tools [{...}]      call several at once
 *     !think TEXT         think so before the first step
 *     !say TEXT           answer so, once the tools are called
 *     !fail STATUS        fail instead
 *     !drop COUNT         break off after so many events
 *     !heard              answer with everything the user said so far
 *     !seals              answer with the signatures of earlier thoughts
 *
 * Which direction it is the turn of follows from how much was answered since: a repeated call gets the same answer.
 */
import type { ProviderAccess } from "@memoir/core";
import { onTestFinished } from "vitest";
import { startScriptedAnthropic } from "../../packages/core/src/testing/scripted-anthropic.ts";
import { startScriptedOpenAi } from "../../packages/core/src/testing/scripted-openai.ts";
import type {
  ScriptedServer,
  WireAnswer,
  WireCall,
  WireFailure,
  WireRequest,
  WireUsage,
} from "../../packages/core/src/testing/scripted-server.ts";

export interface DirectedModels {
  readonly openai: ScriptedServer;
  readonly anthropic: ScriptedServer;
  /** For Memoir's options. */
  readonly providers: Readonly<Record<string, ProviderAccess>>;
  /** For the environment of a server process. */
  readonly env: Readonly<Record<string, string>>;
}

export interface DirectedOptions {
  /** Names for the next calls; made up from the place in the conversation when there are none. */
  readonly callIds?: string[];
  /** Awaited before each event of an answer. */
  readonly gate?: (event: number) => Promise<unknown>;
  /** Directions for a text that has none in it, where what is said is not ours to change. */
  readonly direct?: (text: string) => string | undefined;
}

/** What every answer costs. */
export const directedUsage: WireUsage = { prompt: 100, completion: 10, cached: 0, cacheWrite: 0, reasoning: 0 };

export const directedSeal = "bW9jay1zaWduYXR1cmU=";

export async function startDirectedModels(options: DirectedOptions = {}): Promise<DirectedModels> {
  const follow = (request: WireRequest) => answer(request, options);
  const openai = await startScriptedOpenAi(follow);
  const anthropic = await startScriptedAnthropic(follow);
  onTestFinished(() => openai.close());
  onTestFinished(() => anthropic.close());
  return {
    openai,
    anthropic,
    providers: {
      openai: { apiKey: "sk-directed-openai", baseUrl: openai.baseUrl },
      anthropic: { apiKey: "sk-directed-anthropic", baseUrl: anthropic.baseUrl },
    },
    env: {
      OPENAI_API_KEY: "sk-directed-openai",
      OPENAI_BASE_URL: openai.baseUrl,
      ANTHROPIC_API_KEY: "sk-directed-anthropic",
      ANTHROPIC_BASE_URL: anthropic.baseUrl,
    },
  };
}

interface Heard {
  readonly role: "system" | "user" | "assistant";
  readonly text: string;
  readonly seals: readonly string[];
}

function answer(request: WireRequest, { callIds = [], gate, direct }: DirectedOptions): WireAnswer {
  const heard = readConversation(request.body);
  const last = heard.findLastIndex(({ role }) => role === "user");
  const place = heard.length - last - 1;
  const told = heard[last]?.text ?? "";
  const cut = told.match(/^!drop (\d+)$/m)?.[1];
  const pace = { ...(gate ? { gate } : {}), ...(cut ? { cutAfter: Number(cut) } : {}) };
  if (heard.at(-1)?.role === "system") return { ...pace, text: "Done.", usage: directedUsage };
  const lines = (direct?.(told) ?? told).split("\n");
  const find = (word: string) => lines.find((line) => line.startsWith(word))?.slice(word.length + 1);
  const status = find("!fail");
  if (status) return { failure: fail(Number(status)) };
  const thought = place === 0 ? find("!think") : undefined;
  const usual = request.body.thinking ? "Considering the request." : undefined;
  const reasoning = thought ?? usual;
  const mind = reasoning === undefined ? {} : { reasoning: [reasoning], ...(usual ? { seal: directedSeal } : {}) };
  const steps = lines.flatMap((line) => (/^!tools? /.test(line) ? [readCalls(line)] : []));
  // Whoever writes a summary has no tools, whatever was said to be called.
  const calls = request.body.tools ? steps[place] : undefined;
  const whole = { ...pace, ...mind, usage: directedUsage };
  const name = (call: WireCall, index: number): WireCall => ({
    ...call,
    id: callIds.shift() ?? `call_${last}_${place}_${index}`,
  });
  if (calls) return { ...whole, toolCalls: calls.map(name) };
  const text = find("!say") ?? saySomething(heard, lines);
  if (!mustSpeakByTool(request.body)) return { ...whole, text };
  const spoken = { thinking: "mock thinking", message: text };
  return { ...whole, toolCalls: [name({ name: "send_message", arguments: JSON.stringify(spoken) }, 0)] };
}

function saySomething(heard: readonly Heard[], lines: readonly string[]): string {
  if (lines.includes("!heard")) {
    return JSON.stringify(heard.filter(({ role }) => role === "user").map(({ text }) => text));
  }
  if (lines.includes("!seals")) return JSON.stringify(heard.flatMap(({ seals }) => seals));
  return `You said: ${lines.join(" ")}`;
}

function readCalls(line: string): WireCall[] {
  const [word, ...rest] = line.split(" ");
  const text = rest.join(" ");
  if (word === "!tool") {
    const [name = "", ...args] = rest;
    return [{ name, arguments: args.join(" ") }];
  }
  const calls = JSON.parse(text) as { name: string; arguments: object }[];
  return calls.map(({ name, arguments: args }) => ({ name, arguments: JSON.stringify(args) }));
}

// biome-ignore lint/suspicious/noExplicitAny: three protocols in one
function mustSpeakByTool({ tools = [], tool_choice: choice }: any): boolean {
  // biome-ignore lint/suspicious/noExplicitAny: as above
  const names = tools.map((tool: any) => tool.name ?? tool.function?.name);
  return names.includes("send_message") && choice !== "auto" && choice?.type !== "auto";
}

/** Chat Completions, Responses and Messages have little in common; of each only what directions need. */
// biome-ignore lint/suspicious/noExplicitAny: three protocols in one
function readConversation({ messages, input }: any): Heard[] {
  const heard: Heard[] = [];
  for (const item of messages ?? input) {
    const role = item.role ?? (item.type === "function_call" ? "assistant" : undefined);
    const parts = typeof item.content === "string" ? [{ type: "text", text: item.content }] : (item.content ?? []);
    // biome-ignore lint/suspicious/noExplicitAny: as above
    const texts: string[] = parts.flatMap((part: any) => (typeof part.text === "string" ? [part.text] : []));
    // biome-ignore lint/suspicious/noExplicitAny: as above
    const seals: string[] = parts.flatMap((part: any) => (part.signature ? [part.signature] : []));
    if (role === "assistant") heard.push({ role, text: texts.join("\n"), seals });
    else if (role === "system" || role === "developer") heard.push({ role: "system", text: texts.join("\n"), seals });
    // Messages puts several things said in a row, and results of tools, into one.
    else if (role === "user") for (const text of texts) heard.push({ role, text, seals });
  }
  return heard;
}

const failureTypes: Readonly<Record<number, string>> = {
  400: "invalid_request_error",
  401: "authentication_error",
  429: "rate_limit_error",
};

function fail(status: number): WireFailure {
  const type = failureTypes[status] ?? "api_error";
  const error = { message: `mock failure ${status}`, type, param: null, code: type };
  // Nobody has to wait in a test.
  return { status, body: { type: "error", error }, headers: { "retry-after": "0" } };
}
