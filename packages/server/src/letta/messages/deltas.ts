/**
 * Pieces of a reply as clients of the old server get them: fragments of the items that the whole message has, under the
 * message's id. The number in the otid grows when the kind of item changes.
 */
import type { ReplyPiece } from "@memoir/core";
import type { MessageView } from "./mapper.ts";
import { otidOf } from "./otid.ts";
import { readPartialText } from "./partial-json.ts";

export interface DeltaOwner {
  readonly messageId: string;
  readonly stepId: string;
  readonly runId: string;
  readonly date: string;
}

/** The argument in which older kinds put their thoughts. */
const thoughtArgument = "thinking";

interface OpenCall {
  readonly name: string;
  text: string;
  /** How much of each argument has been shown. */
  readonly shown: Map<string, number>;
  isAnnounced: boolean;
}

type Item = Readonly<Record<string, unknown>> & { readonly message_type: string };

/** Turns the pieces of one reply, in their order, into items. */
export function createDeltaMapper(owner: DeltaOwner, view: MessageView): (piece: ReplyPiece) => object[] {
  const calls = new Map<string, OpenCall>();
  let kind: string | undefined;
  let part = -1;

  function wrap(item: Item): object[] {
    if (view.types && !view.types.has(item.message_type)) return [];
    if (item.message_type !== kind) part++;
    kind = item.message_type;
    return [
      {
        id: owner.messageId,
        date: owner.date,
        name: null,
        otid: otidOf(owner.messageId, part),
        sender_id: null,
        step_id: owner.stepId,
        is_err: null,
        seq_id: null,
        run_id: owner.runId,
        ...item,
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
        calls.set(piece.callId, { name: piece.name, text: "", shown: new Map(), isAnnounced: false });
        return view.isTextReply ? wrap(callDelta(piece.callId, { name: piece.name })) : [];
      case "arguments": {
        const call = calls.get(piece.callId);
        if (!call) return [];
        call.text += piece.text;
        if (view.isTextReply) return wrap(callDelta(piece.callId, { arguments: piece.text }));
        return showOlder(piece.callId, call, piece.text).flatMap(wrap);
      }
    }
  };

  /** Older kinds think in an argument and speak in another; both are text to whoever watches. */
  function showOlder(callId: string, call: OpenCall, text: string): Item[] {
    const thoughts = grow(call, thoughtArgument).map(thought);
    const { messageTool } = view;
    if (messageTool?.name === call.name) {
      const said = grow(call, messageTool.argument);
      return [...thoughts, ...said.map((content) => ({ message_type: "assistant_message", content }))];
    }
    const announced = call.isAnnounced ? [] : [callDelta(callId, { name: call.name })];
    if (thoughts.length > 0) return thoughts;
    call.isAnnounced = true;
    return [...announced, callDelta(callId, { arguments: text })];
  }
}

/** What has come of an argument since it was last looked at. */
function grow(call: OpenCall, argument: string): string[] {
  const value = readPartialText(call.text, argument);
  const shown = call.shown.get(argument) ?? 0;
  if (value === undefined || value.length <= shown) return [];
  call.shown.set(argument, value.length);
  return [value.slice(shown)];
}

function thought(reasoning: string): Item {
  return { message_type: "reasoning_message", source: "non_reasoner_model", reasoning, signature: null };
}

function callDelta(callId: string, fields: { readonly name?: string; readonly arguments?: string }): Item {
  const delta = { ...fields, tool_call_id: callId };
  return { message_type: "tool_call_message", tool_call: delta, tool_calls: delta };
}
