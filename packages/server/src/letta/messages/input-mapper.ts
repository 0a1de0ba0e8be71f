/** What was sent, as core takes it. */
import {
  type ApprovalAnswer,
  type ApprovalReply,
  type ContentPart,
  type InputMessage,
  type InputPart,
  invalidInput,
  MemoirError,
  type SendMessage,
} from "@memoir/core";
import type { ContentPartWire, ImageSourceWire, MessageCreateWire } from "./content-schema.ts";
import { hashStartOf } from "./image-ids.ts";
import type {
  ApprovalCreateWire,
  ApprovalReturnWire,
  InputWire,
  ToolReturnCreateWire,
  ToolReturnInputWire,
} from "./input-schema.ts";
import type { SendMessageWire } from "./schema.ts";

export function fromSendMessage(wire: SendMessageWire): SendMessage {
  rejectUnserved(wire);
  const [first, ...rest] = wire.messages ?? [{ role: "user" as const, content: wire.input ?? "" }];
  const reply = first && !isSaid(first) ? first : undefined;
  const said = [...(first && isSaid(first) ? [first] : []), ...(reply ? rest.filter(isSaid) : rest.map(rejectLate))];
  return {
    messages: [...(reply ? imagesOf(reply) : []), ...said.map(fromMessageCreate)],
    approval: reply && fromReply(reply),
    clientTools: wire.client_tools?.map(({ name, description, parameters }) => ({
      name,
      description: description ?? "",
      parameters: parameters ?? { type: "object", properties: {}, required: [], additionalProperties: true },
    })),
    clientSkills: wire.client_skills,
    maxSteps: wire.max_steps,
    model: wire.override_model,
    system: wire.override_system ?? wire.system,
    isBackground: wire.background,
    streamsTokens: wire.stream_tokens,
    view: {
      use_assistant_message: wire.use_assistant_message ?? true,
      assistant_message_tool_name: wire.assistant_message_tool_name ?? "send_message",
      assistant_message_tool_kwarg: wire.assistant_message_tool_kwarg ?? "message",
      include_return_message_types: wire.include_return_message_types ?? null,
      include_pings: wire.include_pings ?? true,
      include_compaction_messages: wire.include_compaction_messages ?? false,
    },
  };
}

/** Left out of an answer without a word, they would look like something the provider does not say. */
function rejectUnserved({ return_logprobs, return_token_ids }: SendMessageWire): void {
  const field = return_logprobs ? "return_logprobs" : return_token_ids ? "return_token_ids" : undefined;
  if (field === undefined) return;
  const message = `${field} is not supported: this server reads no log probabilities or token ids; send the request without it`;
  throw new MemoirError("not-implemented", message, { details: { field } });
}

const isSaid = (wire: InputWire): wire is MessageCreateWire => "role" in wire;

function rejectLate(wire: InputWire): MessageCreateWire {
  if (isSaid(wire)) return wire;
  throw invalidInput("messages", "an approval or a tool return must be the first message; what is said follows it");
}

function fromReply(wire: ApprovalCreateWire | ToolReturnCreateWire): ApprovalReply {
  return { answers: listAnswers(wire).map(fromAnswer), otid: wire.otid };
}

function listAnswers(wire: ApprovalCreateWire | ToolReturnCreateWire): (ApprovalReturnWire | ToolReturnInputWire)[] {
  if (wire.type === "tool_return") return wire.tool_returns;
  if (wire.approvals) return wire.approvals;
  return [{ tool_call_id: wire.approval_request_id ?? "", approve: wire.approve ?? false, reason: wire.reason }];
}

export function fromAnswer(wire: ApprovalReturnWire | ToolReturnInputWire): ApprovalAnswer {
  const callId = wire.tool_call_id;
  if ("tool_return" in wire) {
    const { status, stdout, stderr, hash } = wire;
    return { callId, hash, type: "return", status, output: textOfReturn(wire), stdout, stderr };
  }
  const { approve, reason, hash } = wire;
  if (!approve) return { callId, hash, type: "deny", reason: reason ?? null };
  const input = wire.arguments;
  return { callId, hash, type: "approve", arguments: typeof input === "object" ? JSON.stringify(input) : input };
}

function textOfReturn({ tool_return: input }: ToolReturnInputWire): string {
  if (typeof input === "string") return input;
  return input.map((part) => (part.type === "text" ? part.text : "[an image: it follows these results]")).join("\n");
}

/** A result is text to a model; images in it are shown right after it. */
function imagesOf(wire: ApprovalCreateWire | ToolReturnCreateWire): InputMessage[] {
  return listAnswers(wire).flatMap((answer) => {
    if (!("tool_return" in answer) || typeof answer.tool_return === "string") return [];
    const images = answer.tool_return.filter((part) => part.type === "image").map(fromContentPart);
    const lead: ContentPart = { type: "text", text: `What the call ${answer.tool_call_id} returned, to look at:` };
    // Named by what brought them, so that the same request is known again.
    const otid = wire.otid && `${wire.otid}:${answer.tool_call_id}`;
    return images.length === 0 ? [] : [{ role: "user" as const, content: [lead, ...images], otid }];
  });
}

function fromMessageCreate(wire: MessageCreateWire): InputMessage {
  const parts: ContentPartWire[] =
    typeof wire.content === "string" ? [{ type: "text", text: wire.content }] : wire.content;
  return {
    role: wire.role,
    content: parts.map(fromContentPart),
    name: wire.name,
    otid: wire.otid,
    senderId: wire.sender_id,
    groupId: wire.group_id,
    batchItemId: wire.batch_item_id,
  };
}

function fromContentPart(part: ContentPartWire): InputPart {
  if (part.type === "text") return { type: "text", text: part.text };
  return { type: "image", source: fromImageSource(part.source) };
}

function fromImageSource(source: ImageSourceWire): Extract<InputPart, { type: "image" }>["source"] {
  if (source.type === "url") return { type: "url", url: source.url };
  const detail = source.detail ? { detail: source.detail } : {};
  const { media_type: mediaType, data } = source;
  if (mediaType && data) return { type: "base64", mediaType, data, ...detail };
  // Core tells the kind of an image in an address by its bytes.
  if (data || source.type === "base64") return { type: "url", url: `data:;base64,${data ?? ""}`, ...detail };
  return { type: "reference", id: source.file_id, hashStart: hashStartOf(source.file_id), ...detail };
}
