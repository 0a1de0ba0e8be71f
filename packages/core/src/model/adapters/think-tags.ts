/**
 * Models whose server does not tell thoughts from speech put them between tags at the beginning of what they say. This
 * takes them apart, however the text was cut into pieces.
 */

export interface SpokenPiece {
  readonly type: "text" | "reasoning";
  readonly text: string;
}

export interface ThinkSplitter {
  add(text: string): SpokenPiece[];
  /** What was held back because a tag might have followed. */
  end(): SpokenPiece[];
}

const openings = ["<think>", "<thinking>"];

export function createThinkSplitter(): ThinkSplitter {
  let state: "start" | "thinking" | "between" | "text" = "start";
  let held = "";
  /** White space before the first word, kept apart so that it is read once. */
  let lead = "";
  let closing = "";
  let hasThought = false;

  function start(): SpokenPiece[] {
    const begun = held.trimStart();
    lead += held.slice(0, held.length - begun.length);
    held = begun;
    const opening = openings.find((tag) => begun.startsWith(tag));
    if (opening !== undefined) {
      state = "thinking";
      closing = opening.replace("<", "</");
      held = begun.slice(opening.length);
      return think();
    }
    if (openings.some((tag) => tag.startsWith(begun))) return [];
    state = "text";
    held = lead + held;
    return speak();
  }

  function think(): SpokenPiece[] {
    if (!hasThought) held = held.trimStart();
    const end = held.indexOf(closing);
    if (end < 0) {
      const kept = countKept(held, closing);
      const text = held.slice(0, held.length - kept);
      held = held.slice(held.length - kept);
      hasThought ||= text !== "";
      return text === "" ? [] : [{ type: "reasoning", text }];
    }
    const text = held.slice(0, end);
    held = held.slice(end + closing.length);
    state = "between";
    return [...(text === "" ? [] : [{ type: "reasoning" as const, text }]), ...speak()];
  }

  function speak(): SpokenPiece[] {
    const text = state === "between" ? held.trimStart() : held;
    held = "";
    if (text === "") return [];
    state = "text";
    return [{ type: "text", text }];
  }

  return {
    add(text) {
      held += text;
      if (state === "start") return start();
      return state === "thinking" ? think() : speak();
    },
    end() {
      const text = state === "start" ? lead + held : held;
      held = "";
      return text === "" ? [] : [{ type: state === "thinking" ? "reasoning" : "text", text }];
    },
  };
}

/** How much of the end of a text may be the beginning of the tag. */
function countKept(text: string, tag: string): number {
  for (let length = Math.min(text.length, tag.length - 1); length > 0; length--) {
    if (text.endsWith(tag.slice(0, length))) return length;
  }
  return 0;
}
