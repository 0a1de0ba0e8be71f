import { prose } from "../../memory/prompts/prose.ts";
import { defineTool } from "./builtin-tool.ts";
import { object, text } from "./input.ts";

export const sendMessageToAgentAndWaitForReply = defineTool({
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
  input: object({
    message: text("The request, complete in itself: what you want, the facts needed for it, the form of the answer."),
    other_agent_id: text(`The id of the agent to write to, of the form "agent-...". A name will not do.`),
  }),
  run: "not-yet",
});
