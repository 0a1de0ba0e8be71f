import { prose } from "../../memory/prompts/prose.ts";
import { defineTool } from "./builtin-tool.ts";
import { object } from "./input.ts";

export const memoryFinishEdits = defineTool({
  name: "memory_finish_edits",
  kind: "sleeptime",
  description: prose(`
    Declare your work on memory done and end the turn. Call it once, as the last step, when everything worth keeping has
    been written and the blocks read well; call it right away if there was nothing to change. Edits were saved as you
    made them, so this saves nothing and undoes nothing.

    Returns nothing.
  `),
  input: object({}),
  // Edits were saved as they were made, and a tool rule ends the turn.
  run: async () => null,
});
