/** `/v1/memoir/approvals`: what agents wait for, answered call by call by whoever gets to it. */
import { invalidInput, type Memoir } from "@memoir/core";
import { z } from "zod";
import { fromAnswer } from "../../letta/messages/input-mapper.ts";
import { pageSize } from "../../letta/shared/paging.ts";
import { defineRoute, type Route } from "../../route.ts";
import { toApprovalWire } from "./mapper.ts";
import { AnswersWire, ApprovalListQuery, ApprovalParams, ApprovalWire } from "./schema.ts";

const tag = "memoir";
const defaultLimit = 50;

export function approvalRoutes(memoir: Memoir): Route[] {
  return [
    defineRoute({
      method: "GET",
      path: "/v1/memoir/approvals",
      operationId: "memoir_list_approvals",
      summary: "List what agents wait for, oldest first",
      tag,
      access: "read",
      scope: "none",
      query: ApprovalListQuery,
      response: z.array(ApprovalWire),
      handler: async ({ actor, query }) => {
        const filter = { agentId: query.agent_id, conversationId: query.conversation_id };
        const page = { limit: pageSize(query.limit ?? defaultLimit), order: "asc" as const, after: query.after };
        return (await memoir.approvals.list(actor, filter, page)).map(toApprovalWire);
      },
    }),
    defineRoute({
      method: "GET",
      path: "/v1/memoir/approvals/{approval_id}",
      operationId: "memoir_retrieve_approval",
      summary: "Retrieve what an agent waits for, by the id of the message that asks",
      tag,
      access: "read",
      scope: "approval",
      params: ApprovalParams,
      response: ApprovalWire,
      handler: async ({ actor, params }) => toApprovalWire(await memoir.approvals.get(actor, params.approval_id)),
    }),
    defineRoute({
      method: "POST",
      path: "/v1/memoir/approvals/{approval_id}/answers",
      operationId: "memoir_answer_approval",
      summary: "Answer some of the calls or all; with the last answer a run goes on in the background",
      tag,
      access: "member",
      scope: "approval",
      params: ApprovalParams,
      body: AnswersWire,
      scopedFields: { answers: "answers" },
      response: ApprovalWire,
      handler: async ({ actor, params, body }) => {
        body.answers.forEach(rejectImages);
        const answered = await memoir.approvals.answer(actor, params.approval_id, body.answers.map(fromAnswer));
        return toApprovalWire(answered.approval);
      },
    }),
  ];
}

/** Here nothing is said beside the answers, and a result by itself is text to a model. */
function rejectImages(answer: AnswersWire["answers"][number]): void {
  if (!("tool_return" in answer) || typeof answer.tool_return === "string") return;
  if (answer.tool_return.every(({ type }) => type === "text")) return;
  throw invalidInput("tool_return", "a tool return with images has to be sent as a message to the agent");
}
