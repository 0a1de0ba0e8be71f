/** What the model is asked in a step: the tools it may call now, and what it sees of the conversation. */
import { capReturns, returnChars } from "../../memory/truncate.ts";
import type { ModelRequest } from "../../model/model.ts";
import { type PromptMessage, type ToolDefinition, textOf } from "../../shared/content.ts";
import { type JsonObject, parseJsonObject } from "../../shared/json.ts";
import { exitTools, thoughtArgument } from "../../shared/kind-traits.ts";
import type { ContextRange } from "../../shared/prompt-snapshot.ts";
import type { Tool } from "../../store/tools/tools.ts";
import { heartbeatArgument, parametersOf } from "../../tools/parameters.ts";
import { allowedTools, allowsParallelCalls, mustCall } from "../../tools/rules.ts";
import type { RunState } from "../state.ts";
import type { Turn } from "../turn.ts";

/** Undefined when the rules leave nothing to call: the run stops. */
export function buildRequest(turn: Shown, state: RunState): ModelRequest | undefined {
  const { agent, tools } = turn;
  const names = tools.map(({ name }) => name);
  const allowed = allowedTools(agent.toolRules, names, state);
  if (names.length > 0 && allowed.length === 0) return undefined;
  const offered = tools.filter(({ name }) => allowed.includes(name));
  return { ...showContext(turn, offered), toolChoice: chooseTool(turn, state, allowed) };
}

/** What of a turn the model is shown. */
export type Shown = Pick<Turn, "agent" | "model" | "system" | "messages" | "added" | "tools" | "traits">;

/** The context as a model is shown it, without asking for anything in particular. */
export function showContext(turn: Shown, offered: readonly Tool[] = turn.tools): ModelRequest {
  const { agent, model } = turn;
  return {
    config: model,
    system: turn.system,
    messages: layOut([...turn.messages, ...turn.added], layoutOf(turn)),
    tools: offered.map((tool) => toDefinition(tool, turn)),
    toolChoice: "auto",
    parallelToolCalls: isParallel(turn),
    // Where the answer is a tool call, its form stands in the tool.
    responseFormat: turn.traits.speaksByTool ? null : (agent.responseFormat ?? model.responseFormat),
  };
}

/** How messages are laid out for a model. */
export type Layout = Pick<ContextRange, "returnChars" | "hasThoughts">;

export function layoutOf({ model, traits }: Pick<Shown, "model" | "traits">): Layout {
  return {
    returnChars: returnChars(model.contextWindow),
    hasThoughts: traits.speaksByTool && model.thoughtsInArguments,
  };
}

export function layOut(messages: readonly PromptMessage[], layout: Layout): PromptMessage[] {
  const capped = messages.map((message) => capReturns(message, layout.returnChars));
  return layout.hasThoughts ? capped.map(withThought) : capped;
}

/** Older kinds make one call a step; the others several where no rule looks at their order. */
export function isParallel({ agent, model, traits }: Shown): boolean {
  return !traits.speaksByTool && model.parallelToolCalls && allowsParallelCalls(agent.toolRules);
}

function chooseTool({ agent, traits }: Shown, state: RunState, allowed: readonly string[]): ModelRequest["toolChoice"] {
  if (allowed.length === 0) return "auto";
  if (!traits.speaksByTool && !mustCall(agent.toolRules, state)) return "auto";
  const [only, ...others] = allowed;
  return only !== undefined && others.length === 0 ? { tool: only } : "required";
}

/** The schema of a tool's arguments for this turn. A wanted form of the answer is the form of what the message tool says. */
export function argumentsSchema(tool: Tool, { agent, traits }: Pick<Turn, "agent" | "traits">): JsonObject {
  const schema = parametersOf(tool);
  const format = agent.responseFormat;
  if (!traits.speaksByTool || tool.name !== "send_message" || !format || format.type === "text") return schema;
  const wanted = format.type === "json_schema" ? ((format.json_schema.schema ?? {}) as JsonObject) : { type: "object" };
  return { ...schema, properties: { ...(schema.properties as JsonObject | undefined), message: wanted } };
}

function toDefinition(tool: Tool, turn: Shown): ToolDefinition {
  const { traits, model } = turn;
  const schema = argumentsSchema(tool, turn);
  const description = String(tool.jsonSchema?.description ?? tool.description ?? "");
  const parameters = traits.speaksByTool ? extendSchema(tool.name, schema, model.thoughtsInArguments) : schema;
  return { name: tool.name, description, parameters };
}

function extendSchema(tool: string, schema: JsonObject, hasThoughts: boolean): JsonObject {
  const thought: JsonObject = hasThoughts
    ? {
        [thoughtArgument]: {
          type: "string",
          description: "Your private thought before this call. The user never sees it.",
        },
      }
    : {};
  const heartbeat: JsonObject = exitTools.has(tool)
    ? {}
    : { [heartbeatArgument]: { type: "boolean", description: "True to be called again after this tool has run." } };
  const required = (schema.required ?? []) as readonly string[];
  return {
    ...schema,
    properties: { ...thought, ...(schema.properties as JsonObject | undefined), ...heartbeat },
    required: [...Object.keys(thought), ...required, ...Object.keys(heartbeat)],
  };
}

/** A thought that was taken out of a call's arguments stands there again. */
function withThought(message: PromptMessage): PromptMessage {
  if (message.role !== "assistant") return message;
  const [call, ...rest] = message.toolCalls;
  const thought = textOf(message.content);
  if (!call || thought === "") return message;
  const input = parseJsonObject(call.arguments || "{}");
  // Arguments nobody can read stay as they are, and so does the thought beside them.
  if (!input) return message;
  const args = JSON.stringify({ [thoughtArgument]: thought, ...input });
  const content = message.content.filter(({ type }) => type !== "text");
  return { ...message, content, toolCalls: [{ ...call, arguments: args }, ...rest] };
}
