/** Everything a run needs to know about its agent, loaded once when the turn starts. */
import { describeSkills } from "../memory/client-skills.ts";
import { compileSystemMessage } from "../memory/compile.ts";
import { loadPromptSource, promptKey, toPromptInput } from "../memory/prompt-source.ts";
import { type PromptMessage, textOf } from "../shared/content.ts";
import { type KindTraits, kindTraits } from "../shared/kind-traits.ts";
import type { ModelConfig } from "../shared/model-config.ts";
import type { Agent } from "../store/agents/agents.ts";
import type { Conversation } from "../store/conversations/conversations.ts";
import { findMessage } from "../store/conversations/messages.ts";
import type { Scope } from "../store/engine/scope.ts";
import type { Run, RunRequest } from "../store/runs/runs.ts";
import { getTurnHead, type TurnHead } from "../store/runs/turn-head.ts";
import { listAgentTools, type Tool } from "../store/tools/tools.ts";
import type { Telemetry } from "../telemetry/telemetry.ts";
import { offerTools } from "../tools/offered-tools.ts";
import type { Executors } from "../tools/tool.ts";
import { type CompiledPrompt, type ContextCache, loadContext, rememberPrompt } from "./context/context-cache.ts";
import type { ApprovalTimeout, Loop, ModelFinder } from "./loop.ts";

export interface Turn {
  readonly orgId: string;
  readonly run: Run;
  readonly agent: Agent;
  readonly traits: KindTraits;
  readonly conversation: Conversation;
  /** Those that it may call; fewer when permissions are taken away meanwhile. */
  tools: readonly Tool[];
  /** Names of tools that it holds and may not call. */
  forbidden: ReadonlySet<string>;
  /** Names of tools that it holds and this process cannot run. */
  readonly unrunnable: ReadonlySet<string>;
  readonly model: ModelConfig;
  /** Byte-stable for the whole turn. */
  readonly system: string;
  /** Set when the prompt was compiled anew: the next commit keeps it. */
  prompt: CompiledPrompt | undefined;
  /** The context when the turn started, the input included; shared with the cache. */
  readonly messages: readonly PromptMessage[];
  readonly hasImages: boolean;
  readonly executors: Executors;
  readonly timeout: ApprovalTimeout;
  readonly telemetry: Telemetry;
  /** At most so many tokens are in the messages and what was added to them. */
  bound: number;
  /** The agent was told in this turn that its context is filling up. */
  isWarned: boolean;
  /** What the turn has added since, and how many rows that is. */
  readonly added: PromptMessage[];
  addedRows: number;
  /** Where the messages stand: how many entries, and the last of the conversation's own. */
  readonly extent: { readonly entries: number; readonly lastSeq: number };
}

export async function loadTurn(scope: Scope, loop: Loop, run: Run): Promise<Turn> {
  const { cache, executors, finder, timeout, telemetry } = loop;
  const head = await getTurnHead(scope, run.conversationId);
  const { agent, conversation } = head;
  const context = await loadContext(scope, cache, conversation, agent.timezone);
  const { messages, hasImages, bound, entries, lastSeq } = context;
  const stored = await compileIfChanged(scope, agent, conversation, messages.length, head);
  const known = stored?.text ?? (await readPrompt(scope, cache, conversation));
  const forgotten = { ...conversation, promptKey: null };
  // Missing from the database, it is made again.
  const prompt = known === undefined ? await compileIfChanged(scope, agent, forgotten, messages.length, head) : stored;
  const offered = offerTools(agent, await listAgentTools(scope, agent.id), executors, run.request.clientTools);
  warnUnrunnable(loop, agent, offered.unrunnable);
  return {
    orgId: scope.orgId,
    run,
    traits: kindTraits[agent.kind],
    conversation,
    ...offered,
    model: await chooseModel(finder, scope.orgId, run.request, head),
    system: (run.request.system ?? prompt?.text ?? known ?? "") + describeSkills(run.request.clientSkills),
    prompt,
    messages,
    hasImages,
    bound,
    executors,
    timeout,
    telemetry,
    isWarned: false,
    added: [],
    addedRows: 0,
    extent: { entries, lastSeq },
  };
}

const maxWarned = 10_000;

/** Once for each agent and set of tools, not once a turn. */
function warnUnrunnable({ log, warned }: Loop, { id, name }: Agent, unrunnable: ReadonlySet<string>): void {
  const tools = [...unrunnable].sort();
  const key = [id, ...tools].join(" ");
  if (tools.length === 0 || warned.has(key)) return;
  if (warned.size >= maxWarned) warned.clear();
  warned.add(key);
  log.warn(
    { agentId: id, name, tools },
    "These tools of the agent cannot run on this server yet; its model is not offered them.",
  );
}

/** The request's model, else the conversation's, else the agent's; the agent's window holds for all of them. */
export async function chooseModel(
  finder: ModelFinder,
  orgId: string,
  request: Pick<RunRequest, "model" | "modelConfig">,
  { agent, conversation }: Pick<TurnHead, "agent" | "conversation">,
): Promise<ModelConfig> {
  const handle = request.model ?? conversation.model;
  // The conversation's settings are for its own model, not for one of this run only.
  const settings = request.model === null ? conversation.modelSettings : null;
  if (handle === null || handle === agent.model.handle) return { ...agent.model, ...settings };
  const other = request.modelConfig ?? (await finder.resolve(orgId, handle));
  return { ...other, ...settings, contextWindow: Math.min(other.contextWindow, agent.model.contextWindow) };
}

/** Undefined while nothing the prompt is made of has changed since it was last compiled. */
export async function compileIfChanged(
  scope: Scope,
  agent: Agent,
  conversation: Conversation,
  contextLength: number,
  known?: TurnHead,
): Promise<CompiledPrompt | undefined> {
  const head = known ?? (await getTurnHead(scope, conversation.id));
  const source = await loadPromptSource(scope, { ...head, agent, conversation });
  const key = promptKey(source);
  if (key === conversation.promptKey) return undefined;
  return { key, text: compileSystemMessage(await toPromptInput(scope, source, contextLength)) };
}

async function readPrompt(scope: Scope, cache: ContextCache, conversation: Conversation): Promise<string | undefined> {
  const { id, promptKey, systemMessageId } = conversation;
  const remembered = cache.get(id)?.prompt;
  if (remembered && remembered.key === promptKey) return remembered.text;
  const message = systemMessageId === null ? undefined : await findMessage(scope, systemMessageId);
  if (!message) return undefined;
  const text = textOf(message.content);
  if (promptKey !== null) rememberPrompt(cache, id, { key: promptKey, text });
  return text;
}
