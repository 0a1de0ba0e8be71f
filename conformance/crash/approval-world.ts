/** An agent over HTTP that may not send mail without being allowed to, and a client that has a clipboard. */
import type { HostTool } from "@memoir/core";
import { expect, type TestContext } from "vitest";
import type { DialectName } from "../../packages/core/src/testing/databases.ts";
import { type DirectedModels, startDirectedModels } from "../support/directed-models.ts";
import { startServer, type TestServer, type TestServerOptions } from "../support/server.ts";

// biome-ignore lint/suspicious/noExplicitAny: tests look at answers from outside
export type Json = any;

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Json;
}

export interface Frame {
  readonly event: string | null;
  readonly data: Json;
}

export interface ApprovalWorld extends TestServer {
  readonly agentId: string;
  /** What the guarded and the free tool were called with. */
  readonly calls: { readonly tool: string; readonly args: object }[];
  /** What the provider was asked. */
  readonly requests: DirectedModels["openai"]["requests"];
  ask(method: string, path: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<Answer>;
  /** To the agent, as a whole answer. */
  send(body: object, headers?: Readonly<Record<string, string>>): Promise<Answer>;
  /** To the agent, as a stream. */
  stream(body: object, headers?: Readonly<Record<string, string>>): Promise<Frame[]>;
  history(): Promise<Json[]>;
}

export const clipboard = {
  name: "read_clipboard",
  description: "Read the clipboard",
  parameters: { type: "object", properties: { n: { type: "integer" } }, required: ["n"] },
};

export const say = (content: string) => ({ messages: [{ role: "user", content }] });
export const mail = (text: string, more = "!say Done.") => say(`!tool send_mail ${JSON.stringify({ text })}\n${more}`);
export const both = say(
  `!tools ${JSON.stringify(["look_up", "send_mail", "send_mail"].map((name, n) => ({ name, arguments: { text: `${n}` } })))}\n!say Done.`,
);
export const answering = (...approvals: object[]) => ({ messages: [{ type: "approval", approvals }] });
export const allow = (id: string) => ({ type: "approval", tool_call_id: id, approve: true });
export const deny = (id: string, reason?: string) => ({ type: "approval", tool_call_id: id, approve: false, reason });
export const give = (id: string, text: unknown) => ({
  type: "tool",
  tool_call_id: id,
  tool_return: text,
  status: "success",
});

export async function openApprovalWorld(
  dialect: DialectName,
  context: TestContext,
  { core, gate, ...options }: TestServerOptions & { gate?: () => Promise<unknown> } = {},
): Promise<ApprovalWorld> {
  const calls: ApprovalWorld["calls"] = [];
  const tool = (name: string): HostTool => ({
    name,
    description: `Does ${name}.`,
    parameters: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
    effect: "unsafe",
    run: (args) => {
      calls.push({ tool: name, args });
      return `${name} did ${args.text}`;
    },
  });
  const { providers, openai } = await startDirectedModels(gate ? { gate } : {});
  const tools = ["send_mail", "look_up"].map(tool);
  const server = await startServer(dialect, context, { ...options, core: { providers, tools, ...core } });
  const ask: ApprovalWorld["ask"] = async (method, path, body, headers = {}) => {
    const answer = await request(server.url + path, method, body, headers);
    const text = await answer.text();
    return { status: answer.status, headers: answer.headers, body: text === "" ? undefined : JSON.parse(text) };
  };
  const agent = await ask("POST", "/v1/agents/", {
    model: "openai/gpt-4o-mini",
    tools: ["send_mail", "look_up"],
    include_base_tools: false,
    parallel_tool_calls: true,
    tool_rules: [{ type: "requires_approval", tool_name: "send_mail" }],
  });
  expect(agent.status).toBe(200);
  const agentId: string = agent.body.id;
  const path = `/v1/agents/${agentId}/messages`;
  return {
    ...server,
    agentId,
    calls,
    requests: openai.requests,
    ask,
    send: (body, headers) => ask("POST", path, body, headers),
    stream: async (body, headers) =>
      readFrames(await request(server.url + path, "POST", { ...body, streaming: true }, headers)),
    history: async () => (await ask("GET", `${path}?order=asc&limit=100`)).body,
  };
}

function request(url: string, method: string, body?: unknown, headers: Readonly<Record<string, string>> = {}) {
  const type = body === undefined ? {} : { "content-type": "application/json" };
  return fetch(url, {
    method,
    headers: { ...type, ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}

/** A stream that was read to its end. */
export async function readFrames(answer: Response): Promise<Frame[]> {
  const text = await answer.text();
  expect([answer.status, text.slice(-2)], text).toEqual([200, "\n\n"]);
  return text
    .slice(0, -2)
    .split("\n\n")
    .map((frame) => {
      const [, event = null, data = ""] = /^(?:event: (\w+)\n)?data: (.*)$/.exec(frame) ?? [];
      return { event, data: data.startsWith("{") ? JSON.parse(data) : data };
    });
}

export const typesOf = (items: readonly Json[]): string[] => items.map(({ message_type: type }) => type);
/** What a stream brought, without its first ping and its end. */
export const itemsOf = (frames: readonly Frame[]): Json[] =>
  frames.map(({ data }) => data).filter((data) => data.id && data.message_type !== "ping");
export const reasonOf = (frames: readonly Frame[]): string | undefined =>
  frames.find(({ data }) => data.message_type === "stop_reason")?.data.stop_reason;
