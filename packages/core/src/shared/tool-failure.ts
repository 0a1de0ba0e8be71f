/** The error that a tool throws to tell the model why its call failed. */
import { MemoirError } from "./errors.ts";

/** Captured stdout and stderr of a program. */
export interface ToolPrint {
  readonly stdout?: readonly string[];
  readonly stderr?: readonly string[];
}

/** A failed tool call; `message` is shown to the model. */
export class ToolFailure extends MemoirError {
  readonly print: ToolPrint;

  constructor(message: string, print: ToolPrint = {}) {
    super("tool-failed", message);
    this.name = "ToolFailure";
    this.print = print;
  }
}
