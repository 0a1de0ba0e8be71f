import { prose } from "../../memory/prompts/prose.ts";
import { defineTool } from "./builtin-tool.ts";
import { choice, object, text } from "./input.ts";

export const runCode = defineTool({
  name: "run_code",
  kind: "service",
  description: prose(`
    Run a program in a sandbox and read what it printed. Use it for anything better computed than guessed: arithmetic,
    dates, statistics, parsing, checking that code works. Nothing is kept from one call to the next, neither variables
    nor files, so every program must be complete. Network access and extra libraries depend on how the server is set up;
    do not count on either.

    Returns JSON with results, logs (stdout and stderr) and, if the program failed, error. Print what you want to
    see. A failure is reported in that JSON rather than as a failed call, so look at error before you trust the output.
    Programs that run too long are stopped.
  `),
  input: object({
    code: text("The whole program, imports included."),
    language: choice(
      ["python", "js", "ts", "r", "java"],
      `
        The language of the program. "python", "js" and "ts" run everywhere; "r" and "java" need a remote sandbox and
        are an error where the server has none.
      `,
    ),
  }),
  isParallel: true,
  run: "by-executor", // services/tools/run-code.ts
});
