/** Running a source that is not stored, on the wire. */
import { type JsonObject, omitUndefined, type SourceCall, type ToolCallResult } from "@memoir/core";
import { z } from "zod";
import { toWireDate } from "../shared/time.ts";

export interface RunSourceWire {
  source_code: string;
  args: JsonObject;
  env_vars?: Record<string, string>;
  name?: string | null;
  source_type?: string | null;
  args_json_schema?: JsonObject | null;
  json_schema?: JsonObject | null;
  pip_requirements?: RequirementWire[] | null;
  npm_requirements?: RequirementWire[] | null;
}

export interface RequirementWire {
  name: string;
  version?: string;
}

export function fromRequirement({ name, version }: RequirementWire): JsonObject {
  return { name, version: version ?? null };
}

interface ReturnWire {
  tool_return: string;
  status: "success" | "error";
  tool_call_id: "null";
  stdout: string[];
  stderr: string[];
}

/** A message that nobody stores: it has the word null for an id. */
export type SourceReturnWire = ReturnWire & {
  id: "null";
  date: string;
  name: null;
  message_type: "tool_return_message";
  otid: null;
  sender_id: null;
  step_id: null;
  is_err: null;
  seq_id: null;
  run_id: null;
  tool_returns: (ReturnWire & { type: "tool" })[];
};

const returnShape = {
  tool_return: z.string(),
  status: z.enum(["success", "error"]),
  tool_call_id: z.literal("null"),
  stdout: z.array(z.string()),
  stderr: z.array(z.string()),
};

export const SourceReturnWire: z.ZodType<SourceReturnWire> = z
  .strictObject({
    id: z.literal("null"),
    date: z.string(),
    name: z.null(),
    message_type: z.literal("tool_return_message"),
    otid: z.null(),
    sender_id: z.null(),
    step_id: z.null(),
    is_err: z.null(),
    seq_id: z.null(),
    run_id: z.null(),
    ...returnShape,
    tool_returns: z.array(z.strictObject({ type: z.literal("tool"), ...returnShape })),
  })
  .meta({ id: "ToolReturnMessage" });

export function fromRunSource(wire: RunSourceWire, projectId: string | undefined): SourceCall {
  const { source_code: source, args } = wire;
  const others = omitUndefined({
    variables: wire.env_vars,
    name: wire.name ?? undefined,
    sourceKind: wire.source_type ?? undefined,
    argsSchema: wire.args_json_schema ?? undefined,
    jsonSchema: wire.json_schema ?? undefined,
    pipRequirements: wire.pip_requirements?.map(fromRequirement),
    npmRequirements: wire.npm_requirements?.map(fromRequirement),
    projectId,
  });
  return { source, args, ...others };
}

export function toSourceReturnWire(result: ToolCallResult, at: Date): SourceReturnWire {
  const fields: ReturnWire = {
    tool_return: result.status === "error" ? result.error : toText(result.output),
    status: result.status,
    tool_call_id: "null",
    stdout: [...(result.stdout ?? [])],
    stderr: [...(result.stderr ?? [])],
  };
  return {
    id: "null",
    date: toWireDate(at.getTime() * 1000),
    name: null,
    message_type: "tool_return_message",
    otid: null,
    sender_id: null,
    step_id: null,
    is_err: null,
    seq_id: null,
    run_id: null,
    ...fields,
    tool_returns: [{ type: "tool", ...fields }],
  };
}

function toText(output: unknown): string {
  return typeof output === "string" ? output : JSON.stringify(output);
}
