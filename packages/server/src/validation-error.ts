/** What does not fit its schema, in the records clients of the old server know. */

export interface ValidationRecord {
  readonly type: string;
  readonly loc: readonly (string | number)[];
  readonly msg: string;
  readonly input: unknown;
  readonly ctx?: Readonly<Record<string, unknown>>;
}

/** Request input that failed its schema: 422 with the records as JSON text. */
export class ValidationError extends Error {
  readonly records: readonly ValidationRecord[];
  readonly examples: readonly string[];

  constructor(records: readonly ValidationRecord[], examples: readonly string[] = []) {
    super("the request does not fit its schema");
    this.name = "ValidationError";
    this.records = records;
    this.examples = examples;
  }
}
