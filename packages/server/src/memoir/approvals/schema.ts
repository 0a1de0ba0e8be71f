/** What agents wait for, on the wire. */
import { z } from "zod";
import { ApprovalReturnWire, ToolReturnInputWire } from "../../letta/messages/input-schema.ts";
import { wireList } from "../../letta/shared/fields.ts";
import { idSchema } from "../../letta/shared/ids.ts";
import { queryInteger, queryText } from "../../letta/shared/query.ts";

export interface AskedCallWire {
  tool_call_id: string;
  name: string;
  /** As the model wrote them. */
  arguments: string;
  /** Of name and arguments; sent back with the answer, it is refused if the call is another one. */
  hash: string;
  /** Whether the client runs the tool; otherwise someone is to allow it. */
  client_tool: boolean;
  answered: boolean;
}

export interface ApprovalWire {
  id: string;
  agent_id: string;
  conversation_id: string;
  run_id: string;
  step_id: string;
  created_at: string;
  /** From then on every call without an answer counts as denied. */
  expires_at: string;
  tool_calls: AskedCallWire[];
  /** The run that went on, once everything was answered. */
  resumed_by: string | null;
}

const AskedCallWire: z.ZodType<AskedCallWire> = z
  .strictObject({
    tool_call_id: z.string(),
    name: z.string(),
    arguments: z.string(),
    hash: z.string(),
    client_tool: z.boolean(),
    answered: z.boolean(),
  })
  .meta({ id: "MemoirAskedCall" });

export const ApprovalWire: z.ZodType<ApprovalWire> = z
  .strictObject({
    id: z.string(),
    agent_id: z.string(),
    conversation_id: z.string(),
    run_id: z.string(),
    step_id: z.string(),
    created_at: z.string(),
    expires_at: z.string(),
    tool_calls: z.array(AskedCallWire),
    resumed_by: z.string().nullable(),
  })
  .meta({ id: "MemoirApproval" });

export interface ApprovalParams {
  approval_id: string;
}

export const ApprovalParams: z.ZodType<ApprovalParams> = z.object({ approval_id: idSchema("message") });

export interface ApprovalListQuery {
  agent_id?: string;
  conversation_id?: string;
  limit?: number;
  after?: string;
}

export const ApprovalListQuery: z.ZodType<ApprovalListQuery> = z.object({
  agent_id: queryText,
  conversation_id: queryText,
  limit: queryInteger(),
  after: queryText,
});

export interface AnswersWire {
  answers: (ApprovalReturnWire | ToolReturnInputWire)[];
}

export const AnswersWire: z.ZodType<AnswersWire> = z
  .object({ answers: wireList(z.union([ApprovalReturnWire, ToolReturnInputWire]), { min: 1 }) })
  .meta({ id: "MemoirAnswers" });
