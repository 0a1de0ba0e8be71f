/** Taking a run over, and putting its input into the context if that has not happened yet. */
import { searchTextOf } from "../memory/search-text.ts";
import { getAgent } from "../store/agents/agents.ts";
import { startContextAt } from "../store/conversations/conversations.ts";
import { insertMessages, newMessage } from "../store/conversations/messages.ts";
import type { Scope } from "../store/engine/scope.ts";
import { claimRun, type Run } from "../store/runs/runs.ts";
import type { Loop } from "./loop.ts";

/** Undefined when someone else was faster. */
export async function takeRun(loop: Loop, orgId: string, run: Run): Promise<Run | undefined> {
  return await loop.store.write(orgId, async (scope) => {
    const claimed = await claimRun(scope, run);
    if (claimed && run.status === "created") {
      const { autoclear } = await getAgent(scope, run.agentId);
      await enterInput(scope, run, autoclear);
    }
    return claimed;
  });
}

/** The input becomes part of the conversation: from here on it is kept whatever happens. */
export async function enterInput(scope: Scope, run: Run, autoclear: boolean): Promise<void> {
  const messages = run.request.input.map((input) => {
    const message = newMessage(scope, {
      id: input.messageId,
      agentId: run.agentId,
      conversationId: run.conversationId,
      role: input.role,
      content: input.content,
      name: input.name,
      otid: input.otid,
      senderId: input.senderId,
      groupId: input.groupId,
      batchItemId: input.batchItemId,
      runId: run.id,
      stepId: run.request.firstStepId,
      createdBy: run.createdBy,
      updatedBy: run.createdBy,
    });
    return { ...message, searchText: searchTextOf(message) };
  });
  await insertMessages(scope, messages);
  const first = messages[0];
  if (autoclear && first) await startContextAt(scope, run.conversationId, first.id);
}
