/** The agent and conversation data that every turn needs, read in one statement. */
import { sql } from "kysely";
import { notFound } from "../../shared/errors.ts";
import { type Agent, agentEntity } from "../agents/agents.ts";
import { gitMemoryTag } from "../agents/tags.ts";
import { type Conversation, conversationEntity } from "../conversations/conversations.ts";
import { prepare } from "../engine/prepared.ts";
import type { Scope } from "../engine/scope.ts";

export interface TurnHead {
  readonly agent: Agent;
  readonly conversation: Conversation;
  /** Most agents have no folders, which saves the query for their files. */
  readonly hasFolders: boolean;
  readonly hasArchives: boolean;
  /** The memory is also a folder of files. */
  readonly isGit: boolean;
}

const selectTurnHead = prepare((scope, { conversationId }: { conversationId: string }) => {
  const isAgents = sql.ref<string>("agent.id");
  const tags = scope
    .select("agent_tag")
    .where("agent_tag.agent_id", "=", isAgents)
    .where("agent_tag.tag", "=", gitMemoryTag);
  const folders = scope.select("agent_folder").where("agent_folder.agent_id", "=", isAgents);
  const archives = scope.select("agent_archive").where("agent_archive.agent_id", "=", isAgents);
  return scope
    .select("conversation")
    .innerJoin("agent", "agent.id", "conversation.agent_id")
    .select([...agentEntity.codec.columns, ...conversationEntity.codec.columns].map((name) => sql.ref(name).as(name)))
    .select(sql<number>`exists ${folders.select("agent_folder.agent_id")}`.as("has_folders"))
    .select(sql<number>`exists ${archives.select("agent_archive.agent_id")}`.as("has_archives"))
    .select(sql<number>`exists ${tags.select("agent_tag.agent_id")}`.as("is_git"))
    .where("conversation.id", "=", conversationId);
});

export async function getTurnHead(scope: Scope, conversationId: string): Promise<TurnHead> {
  const [row] = await selectTurnHead(scope, { conversationId });
  if (!row) throw notFound("conversation", conversationId);
  return {
    agent: agentEntity.codec.decodeQualified(row),
    conversation: conversationEntity.codec.decodeQualified(row),
    hasFolders: Boolean(row.has_folders),
    hasArchives: Boolean(row.has_archives),
    isGit: Boolean(row.is_git),
  };
}
