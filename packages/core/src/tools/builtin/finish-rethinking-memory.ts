import { prose } from "../../memory/prompts/prose.ts";
import { defineTool } from "./builtin-tool.ts";
import { object } from "./input.ts";
import { sessionOnly } from "./voice-notes.ts";

export const finishRethinkingMemory = defineTool({
  name: "finish_rethinking_memory",
  kind: "voice",
  description: prose(`
    End the turn once transcript and user description are dealt with. The last call of every run, also when there was
    nothing to change. Returns nothing. ${sessionOnly}
  `),
  input: object({}),
  run: "not-yet",
});
