/** Tools of the embedding program whose arguments are described by any schema library: `tool({ input, run, … })`. */
import { MemoirError } from "../shared/errors.ts";
import type { JsonObject } from "../shared/json.ts";
import type { HostTool } from "./executors/host.ts";
import { inlineReferences } from "./source/references.ts";
import { describeIssue, findJsonSchema, type OutputOf, type StandardSchema } from "./standard-schema.ts";
import type { OutsideCall, ToolOutput } from "./tool.ts";

export interface NewHostTool<Schema extends StandardSchema>
  extends Pick<HostTool, "name" | "description" | "effect" | "isParallel" | "timeoutMs"> {
  /** Zod, Valibot, ArkType or any other Standard Schema of an object. */
  readonly input: Schema;
  /** The same as JSON schema, for libraries that cannot say it themselves. */
  readonly parameters?: JsonObject;
  /** Gets what the schema makes of the arguments: checked, with defaults and transformations. */
  run(input: OutputOf<Schema>, call: OutsideCall): ToolOutput | Promise<ToolOutput>;
}

export function tool<Schema extends StandardSchema>(request: NewHostTool<Schema>): HostTool {
  const { name, description, effect, isParallel, timeoutMs, input } = request;
  return {
    name,
    description,
    effect,
    ...(isParallel === undefined ? {} : { isParallel }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    parameters: readParameters(request),
    async run(args, call) {
      const result = await input["~standard"].validate(args);
      if (!result.issues) return await request.run(result.value, call);
      const faults = result.issues.map(describeIssue).join("; ");
      throw new MemoirError(
        "tool-failed",
        `The arguments of ${name} do not fit: ${faults}. Nothing was done. Correct them and call it again.`,
      );
    },
  };
}

function readParameters<Schema extends StandardSchema>({ name, input, parameters }: NewHostTool<Schema>): JsonObject {
  const found = parameters ?? readJsonSchema(name, input);
  // Which draft it follows says nothing to models.
  const { $schema: _, ...schema } = inlineReferences(found, (problem) => refuse(name, problem));
  if (schema.type !== "object") throw refuse(name, "is not the schema of an object");
  return schema;
}

function readJsonSchema(name: string, input: StandardSchema): JsonObject {
  const { vendor } = input["~standard"];
  try {
    const found = findJsonSchema(input);
    if (found) return found;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw refuse(name, `cannot be said as JSON schema (${vendor}: ${reason}); give it as parameters`);
  }
  throw refuse(name, `comes from ${vendor}, which does not say its JSON schema; give it as parameters`);
}

function refuse(name: string, problem: string): MemoirError {
  return new MemoirError("invalid-argument", `the input of tool "${name}" ${problem}`, { details: { field: "tools" } });
}
