import { prose } from "../../memory/prompts/prose.ts";
import { defineTool } from "./builtin-tool.ts";
import { object, text, texts } from "./input.ts";

export const sendMessageToAgentsMatchingTags = defineTool({
  name: "send_message_to_agents_matching_tags",
  kind: "multi-agent",
  description: prose(`
    Put the same message to every agent with certain tags and gather the replies: for polls, broadcasts, or when you
    know a role but not who fills it. You yourself are never among those addressed. Narrow the tags well, since each
    agent reached does a full turn of work and you wait for all of them.

    Returns a list with one entry per agent, its id and its reply. An agent that failed has the error in its entry,
    the others are not affected. An empty list means that no agent has these tags.
  `),
  input: object({
    message: text("The message all of them get. They know nothing of your conversation: include what they need."),
    match_all: texts("Tags an agent must all have. An empty list demands none."),
    match_some: texts("Tags of which one is enough. An empty list demands none."),
  }),
  run: "not-yet",
});
