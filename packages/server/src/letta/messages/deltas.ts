/**
 * Pieces of a reply as clients of the old server get them: fragments of the items that the whole message has, under the
 * message's id. The number in the otid grows when the kind of item changes.
 */
import { parseJsonObject, type ReplyPiece, thoughtArgument } from "@memoir/core";
import type { MessageView } from "./mapper.ts";
import { otidOf } from "./otid.ts";
import { type ArgumentReader, createArgumentReader } from "./partial-json.ts";

export interface DeltaOwner {
  readonly messageId: string;
  readonly stepId: string;
  readonly runId: string;
  readonly date: string;
}

interface OpenCall {
  readonly name: string;
  text: string;
  readonly reader: ArgumentReader;
  isAnnounced: boolean;
  readonly isAsked: boolean;
}

type Item = Readonly<Record<string, unknown>> & { readonly message_type: string };

/** Turns the pieces of one reply, in their order, into items. */
export function createDeltaMapper(owner: DeltaOwner, view: MessageView): (piece: ReplyPiece) => object[] {
  const calls = new Map<string, OpenCall>();
  let kind: string | undefined;
  let part = -1;

  function wrap(item: Item): object[] {
    const { message_type: type, ...fields } = item;
    if (view.types && !view.types.has(type)) return [];
    const { messageId: id } = owner;
    if (type !== kind) part++;
    kind = type;
    return [
      {
        id,
        date: owner.date,
        name: null,
        message_type: type,
        otid: type === "approval_request_message" ? id : otidOf(id, part),
        sender_id: null,
        step_id: owner.stepId,
        is_err: null,
        seq_id: null,
        run_id: owner.runId,
        ...fields,
      },
    ];
  }

  return (piece) => {
    switch (piece.type) {
      case "text":
        return wrap(
          view.isTextReply ? { message_type: "assistant_message", content: piece.text } : thought(piece.text),
        );
      case "reasoning":
        return wrap({ ...thought(piece.text), source: "reasoner_model" });
      case "call":
        calls.set(piece.callId, {
          name: piece.name,
          text: "",
          reader: createArgumentReader([thoughtArgument, ...spokenArguments(piece.name)]),
          isAnnounced: false,
          isAsked: piece.isAsked === true,
        });
        return view.isTextReply ? wrap(callDelta(piece.callId, { name: piece.name }, piece.isAsked)) : [];
      case "arguments": {
        const call = calls.get(piece.callId);
        if (!call) return [];
        if (view.isTextReply) return wrap(callDelta(piece.callId, { arguments: piece.text }, call.isAsked));
        return showOlder(piece.callId, call, piece.text).flatMap(wrap);
      }
    }
  };

  function spokenArguments(tool: string): string[] {
    return view.messageTool?.name === tool ? [view.messageTool.argument] : [];
  }

  /**
   * Older kinds think in an argument and speak in another; both are text to whoever watches. Any other call is shown when
   * it is whole, for what is left of its arguments without the thoughts is JSON only then.
   */
  function showOlder(callId: string, call: OpenCall, json: string): Item[] {
    const grown = call.reader.add(json);
    const thoughts = readGrown(grown, thoughtArgument).map(thought);
    const [spoken] = spokenArguments(call.name);
    if (spoken !== undefined) {
      const said = readGrown(grown, spoken);
      return [...thoughts, ...said.map((content) => ({ message_type: "assistant_message", content }))];
    }
    if (call.isAnnounced) return thoughts;
    call.text += json;
    const args = call.reader.isClosed() ? parseJsonObject(call.text) : undefined;
    call.isAnnounced = call.reader.isClosed();
    if (!args) return thoughts;
    const { [thoughtArgument]: _, ...rest } = args;
    return [
      ...thoughts,
      callDelta(callId, { name: call.name }, call.isAsked),
      callDelta(callId, { arguments: JSON.stringify(rest) }, call.isAsked),
    ];
  }
}

function readGrown(grown: ReadonlyMap<string, string>, argument: string): string[] {
  const text = grown.get(argument);
  return text === undefined ? [] : [text];
}

function thought(reasoning: string): Item {
  return { message_type: "reasoning_message", source: "non_reasoner_model", reasoning, signature: null };
}

function callDelta(
  callId: string,
  fields: { readonly name?: string; readonly arguments?: string },
  isAsked = false,
): Item {
  if (!isAsked) {
    const delta = { ...fields, tool_call_id: callId };
    return { message_type: "tool_call_message", tool_call: delta, tool_calls: delta };
  }
  const delta = { name: fields.name ?? null, arguments: fields.arguments ?? null, tool_call_id: callId };
  return { message_type: "approval_request_message", tool_call: delta, tool_calls: delta };
}
