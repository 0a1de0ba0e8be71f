/**
 * The interface that schema libraries agree on (standardschema.dev), as far as it is needed here: whatever has it can
 * check arguments, and most can say their JSON schema too.
 */
import type { JsonObject } from "../shared/json.ts";

export interface StandardSchema<Input = unknown, Output = Input> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
  };
}

export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] };

export interface StandardIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** What comes out of the check. */
export type OutputOf<Schema extends StandardSchema> = NonNullable<Schema["~standard"]["types"]>["output"];

/** Newer libraries say it through the interface, some older ones by a method of their own. */
interface SpeakingSchema {
  readonly "~standard": { readonly jsonSchema?: { input(options: { target: string }): JsonObject } };
  readonly toJSONSchema?: (options: { io: "input" }) => JsonObject;
}

/** Undefined where the library has no way to say it; throws the library's own error where it has, and fails. */
export function findJsonSchema(schema: StandardSchema): JsonObject | undefined {
  const speaking = schema as SpeakingSchema;
  const { jsonSchema } = speaking["~standard"];
  return jsonSchema ? jsonSchema.input({ target: "draft-2020-12" }) : speaking.toJSONSchema?.({ io: "input" });
}

/** `lines.0.amount: must be positive`. */
export function describeIssue({ message, path = [] }: StandardIssue): string {
  const place = path.map((step) => String(typeof step === "object" ? step.key : step)).join(".");
  return place === "" ? message : `${place}: ${message}`;
}
