/** What a message would make Memoir send to the provider. Nothing is sent, and nothing is stored. */
import type { Loop } from "../../loop/loop.ts";
import { openModel } from "../../loop/model-call/model-with-fallbacks.ts";
import { buildRequest } from "../../loop/model-call/request.ts";
import { initialState } from "../../loop/state.ts";
import { chooseModel, compileIfChanged } from "../../loop/turn.ts";
import { describeSkills } from "../../memory/client-skills.ts";
import { withImages } from "../../memory/images.ts";
import { toPromptMessage } from "../../memory/window.ts";
import type { ModelRequest } from "../../model/model.ts";
import { renderBody } from "../../model/observe.ts";
import { type PromptMessage, textOf } from "../../shared/content.ts";
import type { JsonObject } from "../../shared/json.ts";
import { kindTraits } from "../../shared/kind-traits.ts";
import { type Conversation, type ConversationPlace, getPlace } from "../../store/conversations/conversations.ts";
import { findMessage, newMessage } from "../../store/conversations/messages.ts";
import type { Scope } from "../../store/engine/scope.ts";
import { getTurnHead, type TurnHead } from "../../store/runs/turn-head.ts";
import { listAgentTools } from "../../store/tools/tools.ts";
import { offerTools } from "../../tools/offered-tools.ts";
import { loadShown } from "../conversations/context-overview.ts";
import type { Accepted } from "./send-message.ts";

export async function previewRequest(
  scope: Scope,
  loop: Loop,
  place: ConversationPlace,
  input: Accepted,
): Promise<JsonObject> {
  const head = await getTurnHead(scope, (await getPlace(scope, place)).id);
  const request = await withImages(scope, await composeRequest(scope, loop, head, input));
  const body = await renderBody(await openModel(loop, scope.orgId, request.config), request);
  return body ? (JSON.parse(Buffer.from(body).toString()) as JsonObject) : describe(request);
}

async function composeRequest(scope: Scope, loop: Loop, head: TurnHead, input: Accepted): Promise<ModelRequest> {
  const { agent, conversation } = head;
  const { stored, shown } = await loadShown(scope, loop, conversation, agent.timezone);
  const context = agent.autoclear ? [] : shown;
  const compiled = await compileIfChanged(scope, agent, conversation, stored.length, head);
  const offered = offerTools(agent, await listAgentTools(scope, agent.id), loop.executors, input.clientTools);
  const turn = {
    agent: offered.agent,
    model: await chooseModel(loop.finder, scope.orgId, { model: null, ...input }, head),
    system:
      (input.system ?? compiled?.text ?? (await readPrompt(scope, conversation))) + describeSkills(input.clientSkills),
    messages: [...context, ...showInput(scope, head, input)],
    added: [],
    tools: offered.tools,
    traits: kindTraits[agent.kind],
  };
  // Rules that leave nothing to call end a turn before the model is asked: then what it would see is shown.
  return buildRequest(turn, initialState) ?? buildRequest({ ...turn, tools: [] }, initialState) ?? unreachable();
}

function unreachable(): never {
  throw new Error("a request without tools is always possible");
}

function showInput(scope: Scope, { agent, conversation }: TurnHead, { messages }: Accepted): PromptMessage[] {
  const owner = { agentId: agent.id, conversationId: conversation.id };
  return messages.flatMap(
    ({ role, content }) => toPromptMessage(newMessage(scope, { ...owner, role, content }), agent.timezone) ?? [],
  );
}

async function readPrompt(scope: Scope, { systemMessageId }: Conversation): Promise<string> {
  const message = systemMessageId === null ? undefined : await findMessage(scope, systemMessageId);
  return textOf(message?.content);
}

/** For a model that is not reached over HTTP, or cannot be for want of a key: what its adapter would be handed. */
function describe({ config, system, messages, tools, toolChoice }: ModelRequest): JsonObject {
  const shown = {
    model: config.model,
    messages: [{ role: "system", content: system }, ...messages],
    tools,
    toolChoice,
  };
  return JSON.parse(JSON.stringify(shown)) as JsonObject;
}
