import { prose } from "../../memory/prompts/prose.ts";
import { defineTool } from "./builtin-tool.ts";
import { object, text } from "./input.ts";

export const sendMessageToAgentAsync = defineTool({
  name: "send_message_to_agent_async",
  kind: "multi-agent",
  description: prose(`
    Hand a message to another agent and carry on without waiting: for news, hand-overs and errands whose outcome you do
    not need in this turn. The other agent learns your id and works when its turn comes. An answer does not return
    through this call; if you want one, ask the agent to write to you.

    Returns a confirmation that the message was accepted, which says nothing about what became of it.
  `),
  input: object({
    message: text("What the other agent should know or do, with all it needs, and whether you expect word back."),
    other_agent_id: text(`The id of the agent to write to, of the form "agent-...". A name will not do.`),
  }),
  run: "not-yet",
});
