/** A command of `memoir`: the overview, its help and guesses at misspelt names derive from this object. */
export interface Command {
  readonly name: string;
  /** One line of the overview. */
  readonly summary: string;
  /** Printed by `memoir help NAME` and by `memoir NAME --help`. */
  readonly help: string;
  /** Answers the exit code of the process. */
  run(words: readonly string[]): Promise<number>;
}
