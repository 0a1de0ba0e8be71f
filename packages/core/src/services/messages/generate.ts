/** One completion with the model of an agent, beside everything that was said: only its step is stored, for usage. */
import { stepOf } from "../../loop/close-step.ts";
import type { Loop } from "../../loop/loop.ts";
import { openModel } from "../../loop/model-call/model-with-fallbacks.ts";
import { keepTraces } from "../../loop/model-call/trace-drafts.ts";
import type { ModelReply, ModelRequest } from "../../model/model.ts";
import { type Asked, type Observation, observe } from "../../model/observe.ts";
import { type Runtime, readScope, write } from "../../runtime.ts";
import type { Actor } from "../../shared/actor.ts";
import { textOf, type Usage } from "../../shared/content.ts";
import { invalidInput, MemoirError } from "../../shared/errors.ts";
import type { JsonObject } from "../../shared/json.ts";
import { type Agent, getAgent } from "../../store/agents/agents.ts";
import { insertStep } from "../../store/runs/steps.ts";

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

/** The `origin` of its step. */
const generateOrigin = "generate";

/** Shorter than the usual ten minutes: somebody waits, and nothing is kept of a late answer. */
const timeoutMs = 120_000;

export async function generate(
  runtime: Runtime,
  loop: Loop,
  actor: Actor,
  agentId: string,
  { prompt, system = "", model, schema }: GenerateRequest,
): Promise<Generated> {
  const agent = await getAgent(readScope(runtime, actor), agentId);
  if (prompt.trim() === "") throw invalidInput("prompt", "prompt is empty: say what to answer");
  const config = model === undefined ? agent.model : await loop.finder.resolve(actor.orgId, model);
  const request: ModelRequest = {
    config,
    system,
    messages: [{ role: "user", content: [{ type: "text", text: prompt }] }],
    tools: [],
    toolChoice: "none",
    parallelToolCalls: false,
    responseFormat: schema ? { type: "json_schema", json_schema: { name: "answer", schema } } : null,
  };
  const observation: Observation = { asked: [] };
  const reply = await observe(observation, () => ask(loop, actor.orgId, request));
  await keepStep(runtime, loop, actor, agent, observation.asked);
  const text = textOf(reply.content);
  return { text, model: config.model, usage: reply.usage };
}

/** A step of no run, so that steps add up to what providers bill. */
async function keepStep(
  runtime: Runtime,
  loop: Loop,
  actor: Actor,
  agent: Agent,
  asked: readonly Asked[],
): Promise<void> {
  const last = asked.at(-1);
  if (!last?.reply) return;
  const stepId = loop.store.newId("step");
  const { usage } = last.reply;
  const modelNs = ((last.endedAt ?? last.startedAt) - last.startedAt) * 1e6;
  await write(runtime, actor, async (scope) => {
    const owner = { run: { id: null, conversationId: null }, agent, model: last.request.config };
    const step = stepOf(scope, owner, { stepId, usage, modelNs });
    await insertStep(scope, { ...step, origin: generateOrigin, status: "success", stopReason: null });
  });
  const run = { id: null, agentId: agent.id, createdBy: actor.userId };
  keepTraces({ loop, orgId: actor.orgId, run }, stepId, "step", asked);
}

async function ask(loop: Loop, orgId: string, request: ModelRequest): Promise<ModelReply> {
  const model = await openModel(loop, orgId, request.config);
  for await (const chunk of model.stream(request, AbortSignal.timeout(timeoutMs))) {
    if (chunk.type === "reply") return chunk.reply;
  }
  throw new MemoirError("llm-error", "the model's answer ended before it was complete");
}
