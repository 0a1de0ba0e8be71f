/** What callers can do with conversations: several threads of one agent, which shares its memory among them. */
import type { Jobs } from "../../jobs/jobs.ts";
import { rememberPrompt } from "../../loop/context/context-cache.ts";
import type { Loop } from "../../loop/loop.ts";
import { findModel } from "../../model/catalogue.ts";
import { type Runtime, readScope, write } from "../../runtime.ts";
import type { Actor } from "../../shared/actor.ts";
import { MemoirError } from "../../shared/errors.ts";
import type { ModelConfig } from "../../shared/model-config.ts";
import { getAgent } from "../../store/agents/agents.ts";
import { loadIsolatedBlocks } from "../../store/blocks/conversation-blocks.ts";
import {
  type ConversationFilter,
  type ConversationOrder,
  listConversations,
  loadLastMessageTimes,
} from "../../store/conversations/conversation-list.ts";
import {
  type Conversation,
  type ConversationPlace,
  getLiveConversation,
  getPlace,
  listContextBodyIds,
  replaceEntries,
  updateConversation,
} from "../../store/conversations/conversations.ts";
import type { PageRequest } from "../../store/engine/paging.ts";
import type { Scope } from "../../store/engine/scope.ts";
import { findOpenApproval } from "../../store/runs/approvals.ts";
import { findLastRunId, listOpenRuns } from "../../store/runs/runs.ts";
import { tellEnd } from "../runs/end-run.ts";
import type { RunService } from "../runs/runs.ts";
import { deleteConversation } from "./conversation-end.ts";
import { compilePrompt, storePrompt } from "./conversation-prompt.ts";
import { createConversation, type ForkOptions, forkConversation, type NewConversation } from "./conversation-start.ts";
import { addBootSequence } from "./first-messages.ts";

/** Only what is given changes. */
export interface ConversationUpdate {
  readonly title?: string;
  readonly model?: string;
  readonly modelSettings?: Partial<ModelConfig>;
  /** Counts until the next message. */
  readonly lastMessageAt?: number;
}

export interface ConversationView {
  readonly conversation: Conversation;
  /** When something was last said in it. */
  readonly lastMessageAt: number | null;
  readonly isolatedBlockIds: readonly string[];
  /** The model with the conversation's settings laid over it; null when it has none of its own. */
  readonly modelConfig: ModelConfig | null;
}

export interface ConversationDetail extends ConversationView {
  /** The system message first. */
  readonly contextMessageIds: readonly string[];
}

export interface ConversationListRequest {
  readonly filter?: ConversationFilter;
  readonly page: PageRequest;
  readonly orderBy?: ConversationOrder;
}

export interface ConversationService {
  create(actor: Actor, agentId: string, conversation: NewConversation): Promise<ConversationView>;
  get(actor: Actor, place: ConversationPlace): Promise<ConversationDetail>;
  /** Whose it is, without anything it holds. */
  getAgentId(actor: Actor, id: string): Promise<string>;
  /** Without the agents' default ones. */
  list(actor: Actor, request: ConversationListRequest): Promise<ConversationView[]>;
  update(actor: Actor, id: string, update: ConversationUpdate): Promise<ConversationView>;
  /** Its open runs are cancelled. Messages stay where another conversation has them too. */
  delete(actor: Actor, id: string): Promise<void>;
  /** A new one that begins with what this one has in context. */
  fork(actor: Actor, place: ConversationPlace, options?: ForkOptions): Promise<ConversationView>;
  /** Compiles the system message anew and gives its text; a dry run keeps nothing. */
  recompile(actor: Actor, place: ConversationPlace, options?: { isDryRun?: boolean }): Promise<string>;
  /** Empties the context but for the system message. What was said stays in recall memory. */
  reset(actor: Actor, place: ConversationPlace, options?: { withBootSequence?: boolean }): Promise<void>;
  /**
   * Every run that is under way or waits; their ids. In a default conversation where none is, the id of the last run,
   * which stays as it ended: a caller that cancels right after the end is not told of an error.
   */
  cancel(actor: Actor, place: ConversationPlace): Promise<string[]>;
}

export function createConversationService(
  runtime: Runtime,
  loop: Loop,
  jobs: Jobs,
  runs: RunService,
): ConversationService {
  return {
    create: async (actor, agentId, input) => {
      await checkModel(loop, actor, input);
      return await write(runtime, actor, async (scope) =>
        view(scope, await createConversation(scope, actor, agentId, input)),
      );
    },
    get: async (actor, place) => {
      const scope = readScope(runtime, actor);
      return await detail(scope, await getPlace(scope, place));
    },
    getAgentId: async (actor, id) => (await getLiveConversation(readScope(runtime, actor), id)).agentId,
    list: async (actor, { filter = {}, page, orderBy }) => {
      const scope = readScope(runtime, actor);
      return await viewAll(scope, await listConversations(scope, filter, page, orderBy));
    },
    update: async (actor, id, update) => {
      await checkModel(loop, actor, update);
      return await write(runtime, actor, async (scope) => {
        await applyUpdate(scope, actor, await getLiveConversation(scope, id), update);
        return await view(scope, await getLiveConversation(scope, id));
      });
    },
    delete: async (actor, id) => {
      const ended = await write(runtime, actor, async (scope) => {
        const conversation = await getLiveConversation(scope, id);
        rejectDefault(conversation);
        return await deleteConversation(scope, conversation);
      });
      loop.accepted.delete(id);
      loop.cache.delete(id);
      for (const run of ended) tellEnd(loop, run);
    },
    fork: (actor, place, options = {}) =>
      write(runtime, actor, async (scope) =>
        view(scope, await forkConversation(scope, actor, await getPlace(scope, place), options)),
      ),
    recompile: async (actor, place, { isDryRun = false } = {}) => {
      if (isDryRun) {
        const scope = readScope(runtime, actor);
        return (await compilePrompt(scope, await getPlace(scope, place))).text;
      }
      const { id, prompt } = await write(runtime, actor, async (scope) => {
        const conversation = await getPlace(scope, place);
        const compiled = await compilePrompt(scope, conversation);
        await storePrompt(scope, conversation, compiled);
        return { id: conversation.id, prompt: compiled };
      });
      rememberPrompt(loop.cache, id, prompt);
      return prompt.text;
    },
    reset: async (actor, place, { withBootSequence = false } = {}) => {
      const { id, prompt } = await write(runtime, actor, async (scope) => {
        const conversation = await getPlace(scope, place);
        await updateConversation(scope, conversation.id, { summaryMessageId: null });
        const marks = await replaceEntries(scope, conversation, []);
        const agent = await getAgent(scope, conversation.agentId);
        if (withBootSequence) await addBootSequence(scope, actor, agent, conversation.id);
        const compiled = await compilePrompt(scope, { ...conversation, ...marks }, agent);
        await storePrompt(scope, conversation, compiled);
        return { id: conversation.id, prompt: compiled };
      });
      rememberPrompt(loop.cache, id, prompt);
      // What it may have asked went too, and whatever waited for the answer can go on.
      jobs.wake({ orgId: actor.orgId, conversationId: id });
    },
    cancel: async (actor, place) => {
      const scope = readScope(runtime, actor);
      const { id, agentId, isDefault } = await getPlace(scope, place);
      const asking = await findOpenApproval(scope, id);
      const open = (await listOpenRuns(scope, id)).map((run) => run.id);
      if (asking) open.push(asking.runId);
      const last = open.length === 0 && isDefault ? await findLastRunId(scope, id) : undefined;
      if (last !== undefined) return [last];
      if (open.length === 0) {
        throw new MemoirError(
          "conflict",
          "no run of this conversation is under way or waits: there is nothing to cancel",
        );
      }
      return await runs.cancelOfAgent(actor, agentId, open);
    },
  };
}

/** Before anything is written, since a provider may have to be asked. */
async function checkModel(
  { finder }: Loop,
  { orgId }: Actor,
  { model }: Pick<NewConversation, "model">,
): Promise<void> {
  if (model !== undefined) await finder.resolve(orgId, model);
}

function rejectDefault({ isDefault, agentId }: Conversation): void {
  if (!isDefault) return;
  throw new MemoirError(
    "invalid-argument",
    `this is the default conversation of agent "${agentId}", which goes only with the agent; reset it instead`,
  );
}

/** The time of the last message is kept as it is now: from here on only later messages count. */
async function applyUpdate(
  scope: Scope,
  actor: Actor,
  { id }: Conversation,
  { lastMessageAt, title, model, modelSettings }: ConversationUpdate,
): Promise<void> {
  const known = (await loadLastMessageTimes(scope, [id])).get(id) ?? null;
  await updateConversation(scope, id, {
    title,
    model,
    modelSettings,
    lastMessageAt: lastMessageAt ?? known,
    updatedAt: scope.now(),
    updatedBy: actor.userId,
  });
}

async function view(scope: Scope, conversation: Conversation): Promise<ConversationView> {
  const [only] = await viewAll(scope, [conversation]);
  if (!only) throw new Error("a view was lost");
  return only;
}

async function detail(scope: Scope, conversation: Conversation): Promise<ConversationDetail> {
  const { systemMessageId, summaryMessageId } = conversation;
  const lead = [systemMessageId, summaryMessageId].filter((id) => id !== null);
  return {
    ...(await view(scope, conversation)),
    contextMessageIds: [...lead, ...(await listContextBodyIds(scope, conversation))],
  };
}

async function viewAll(scope: Scope, conversations: readonly Conversation[]): Promise<ConversationView[]> {
  const ids = conversations.map(({ id }) => id);
  const times = await loadLastMessageTimes(scope, ids);
  const blocks = await loadIsolatedBlocks(scope, ids);
  const views: ConversationView[] = [];
  for (const conversation of conversations) {
    views.push({
      conversation,
      lastMessageAt: times.get(conversation.id) ?? null,
      isolatedBlockIds: (blocks.get(conversation.id) ?? []).map(({ id }) => id),
      modelConfig: await configOf(scope, conversation),
    });
  }
  return views;
}

async function configOf(scope: Scope, { agentId, model, modelSettings }: Conversation): Promise<ModelConfig | null> {
  if (modelSettings === null) return null;
  const base = (model === null ? undefined : findModel(model)) ?? (await getAgent(scope, agentId)).model;
  return { ...base, ...modelSettings };
}
