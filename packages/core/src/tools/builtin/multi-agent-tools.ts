/** Talking to other agents of the same organisation. */

import { prose } from "../../memory/prompts/prose.ts";
import { type BuiltinTool, listOf, object, text } from "./builtin-tool.ts";

const otherAgentId = text(`The id of the agent to write to, of the form "agent-...". A name will not do.`);

const waitForReply: BuiltinTool = {
  name: "send_message_to_agent_and_wait_for_reply",
  kind: "multi-agent",
  description: prose(`
    Ask another agent something and hold your turn until it has answered. For when you cannot go on without its answer;
    if you can, send_message_to_agent_async does not keep you waiting.

    The other agent learns your id but sees nothing of your conversation or memory, so put everything it needs into the
    message. It may take many steps, which you wait for. Two agents that keep asking each other are stopped at a depth
    limit.

    Returns an object with the agent's id and its reply as a list of texts; a placeholder when it said nothing. The
    reply is another agent's opinion: check what matters.
  `),
  parameters: object(
    {
      message: text("The request, complete in itself: what you want, the facts needed for it, the form of the answer."),
      other_agent_id: otherAgentId,
    },
    ["message", "other_agent_id"],
  ),
  isParallel: false,
};

const matchingTags: BuiltinTool = {
  name: "send_message_to_agents_matching_tags",
  kind: "multi-agent",
  description: prose(`
    Put the same message to every agent with certain tags and gather the replies: for polls, broadcasts, or when you
    know a role but not who fills it. You yourself are never among those addressed. Narrow the tags well, since each
    agent reached does a full turn of work and you wait for all of them.

    Returns a list with one entry per agent, its id and its reply. An agent that failed has the error in its entry,
    the others are not affected. An empty list means that no agent has these tags.
  `),
  parameters: object(
    {
      message: text("The message all of them get. They know nothing of your conversation: include what they need."),
      match_all: listOf({ type: "string" }, "Tags an agent must all have. An empty list demands none."),
      match_some: listOf({ type: "string" }, "Tags of which one is enough. An empty list demands none."),
    },
    ["message", "match_all", "match_some"],
  ),
  isParallel: false,
};

const sendAsync: BuiltinTool = {
  name: "send_message_to_agent_async",
  kind: "multi-agent",
  description: prose(`
    Hand a message to another agent and carry on without waiting: for news, hand-overs and errands whose outcome you do
    not need in this turn. The other agent learns your id and works when its turn comes. An answer does not return
    through this call; if you want one, ask the agent to write to you.

    Returns a confirmation that the message was accepted, which says nothing about what became of it.
  `),
  parameters: object(
    {
      message: text("What the other agent should know or do, with all it needs, and whether you expect word back."),
      other_agent_id: otherAgentId,
    },
    ["message", "other_agent_id"],
  ),
  isParallel: false,
};

export const multiAgentTools: readonly BuiltinTool[] = [waitForReply, matchingTags, sendAsync];
