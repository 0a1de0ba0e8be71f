import { prose } from "../../memory/prompts/prose.ts";
import { defineTool } from "./builtin-tool.ts";
import { object, text } from "./input.ts";

export const runCodeWithTools = defineTool({
  name: "run_code_with_tools",
  kind: "service",
  description: prose(`
    Run a Python program that can call your own tools as functions: each attached tool is there under its name and takes
    keyword arguments. One program can thus do what would take many single calls, such as looping over a list, passing
    one tool's result to the next, or filtering a long result down to the few lines you need.

    Calls made by the program have their real effects, and stay done if the program fails later. The program starts
    fresh each time.

    Returns JSON with status, func_return, stdout and stderr. Print what you want to see.
  `),
  input: object({
    code: text("The whole Python program. Tools need no import; call them by name with keyword arguments."),
  }),
  run: "by-executor", // services/tools/run-code.ts
});
