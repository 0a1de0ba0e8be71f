/** One completion with the model of an agent, beside everything that was said: nothing is stored. */
import type { Actor } from "../actor.ts";
import type { Usage } from "../content.ts";
import { invalidInput, MemoirError } from "../errors.ts";
import type { JsonObject } from "../json.ts";
import type { Loop } from "../loop/loop.ts";
import { openModel } from "../loop/open-model.ts";
import type { ModelReply, ModelRequest } from "../model/model.ts";
import { getAgent } from "../store/agents.ts";
import type { Scope } from "../store/scope.ts";

export interface GenerateRequest {
  readonly prompt: string;
  readonly system?: string;
  /** Another model than the agent's, by its handle. */
  readonly model?: string;
  /** JSON Schema of the answer. */
  readonly schema?: JsonObject;
}

export interface Generated {
  readonly text: string;
  /** Its name at the provider. */
  readonly model: string;
  readonly usage: Usage;
}

/** Shorter than the usual ten minutes: somebody waits, and nothing is kept of a late answer. */
const patienceMs = 120_000;

export async function generate(
  scope: Scope,
  loop: Loop,
  { orgId }: Actor,
  agentId: string,
  { prompt, system = "", model, schema }: GenerateRequest,
): Promise<Generated> {
  const agent = await getAgent(scope, agentId);
  if (prompt.trim() === "") throw invalidInput("prompt", "prompt is empty: say what to answer");
  const config = model === undefined ? agent.model : await loop.finder.resolve(orgId, model);
  const request: ModelRequest = {
    config,
    system,
    messages: [{ role: "user", content: [{ type: "text", text: prompt }] }],
    tools: [],
    toolChoice: "none",
    parallelToolCalls: false,
    responseFormat: schema ? { type: "json_schema", json_schema: { name: "answer", schema } } : null,
  };
  const reply = await ask(loop, orgId, request);
  const text = reply.content.map((part) => (part.type === "text" ? part.text : "")).join("");
  return { text, model: config.model, usage: reply.usage };
}

async function ask(loop: Loop, orgId: string, request: ModelRequest): Promise<ModelReply> {
  const model = await openModel(loop, orgId, request.config);
  for await (const chunk of model.stream(request, AbortSignal.timeout(patienceMs))) {
    if (chunk.type === "reply") return chunk.reply;
  }
  throw new MemoirError("llm-error", "the model's answer ended before it was complete");
}
