/** The error that a tool throws to tell the model why its call failed. */
import { MemoirError } from "./errors.ts";

/** What a program printed while it ran: one text each, or none. */
export interface ToolPrint {
  readonly stdout?: readonly string[];
  readonly stderr?: readonly string[];
}

/** A tool that failed; the message is what the model is told. */
export class ToolFailure extends MemoirError {
  readonly print: ToolPrint;

  constructor(message: string, print: ToolPrint = {}) {
    super("tool-failed", message);
    this.name = "ToolFailure";
    this.print = print;
  }
}
