/**
 * Tool calls as servers compatible with Chat Completions stream them: with and without ids and places, arguments as
 * text, as an object, or as text inside text.
 */
import { randomBytes } from "node:crypto";
import { parseJson } from "../../shared/json.ts";
import { toRecord } from "./fields.ts";
import type { PackagePart } from "./package-types.ts";

interface OpenCall {
  readonly id: string;
  /** What the server called it. */
  readonly wireId: string | undefined;
  readonly name: string;
  arguments: string;
  /** Takes each next piece of the arguments; true when their object has been closed. */
  readonly watchEnd: (piece: string) => boolean;
  isClosed: boolean;
  /** More than white space has come. */
  hasBegun: boolean;
  /** Written in full when the call ends, since it may turn out to be text inside text. */
  isHeld: boolean;
}

export interface CallReader {
  add(delta: unknown): PackagePart[];
  end(): PackagePart[];
}

export function createCallReader(): CallReader {
  const calls: OpenCall[] = [];
  const ids = new Set<string>();
  const byPlace = new Map<number, OpenCall>();

  function findCall(place: unknown, wireId: string | undefined, name: string | undefined): OpenCall | undefined {
    const known = typeof place === "number" ? byPlace.get(place) : name === undefined ? calls.at(-1) : undefined;
    if (!known || name === undefined) return known;
    // Some servers give every call the same place, and some repeat the name with each piece.
    const isOther = wireId === undefined ? known.isClosed || known.arguments === "null" : known.wireId !== wireId;
    return isOther ? undefined : known;
  }

  function start(place: unknown, wireId: string | undefined, name: string): OpenCall {
    const isFree = wireId !== undefined && !ids.has(wireId);
    const id = isFree ? wireId : `call_${randomBytes(12).toString("hex")}`;
    ids.add(id);
    const call: OpenCall = {
      id,
      wireId,
      name,
      arguments: "",
      watchEnd: createEndWatch(),
      isClosed: false,
      hasBegun: false,
      isHeld: false,
    };
    calls.push(call);
    if (typeof place === "number") byPlace.set(place, call);
    return call;
  }

  return {
    add(delta) {
      const { index, id, function: called } = toRecord(delta);
      const { name: input, arguments: args } = toRecord(called);
      const wireId = typeof id === "string" && id.trim() !== "" ? id : undefined;
      const name = typeof input === "string" && input !== "" ? input : undefined;
      const known = findCall(index, wireId, name);
      if (!known && name === undefined) return [];
      const call = known ?? start(index, wireId, name ?? "");
      const started: PackagePart[] = known ? [] : [{ type: "tool-input-start", id: call.id, toolName: call.name }];
      return [...started, ...addArguments(call, toText(args))];
    },
    end: () =>
      calls.map(({ id, name, arguments: json }) => ({
        type: "tool-call",
        toolCallId: id,
        toolName: name,
        input: unwrap(json),
      })),
  };
}

/** Reads each character of the JSON once: some servers repeat the name with each of thousands of pieces. */
function createEndWatch(): (piece: string) => boolean {
  let depth = 0;
  let isInText = false;
  let isEscaped = false;
  let isClosed = false;
  return (piece) => {
    for (const mark of piece) {
      if (isEscaped) isEscaped = false;
      else if (isInText && mark === "\\") isEscaped = true;
      else if (mark === '"') isInText = !isInText;
      else if (isInText) continue;
      else if (mark === "{" || mark === "[") depth++;
      else if (mark === "}" || mark === "]") isClosed ||= --depth === 0;
    }
    return isClosed;
  };
}

function addArguments(call: OpenCall, delta: string): PackagePart[] {
  if (delta === "") return [];
  if (!call.hasBegun) {
    const begun = delta.trimStart();
    call.hasBegun = begun !== "";
    call.isHeld = begun.startsWith('"');
  }
  call.arguments += delta;
  call.isClosed = call.watchEnd(delta);
  return call.isHeld ? [] : [{ type: "tool-input-delta", id: call.id, delta }];
}

function toText(args: unknown): string {
  if (typeof args === "string") return args;
  return args === undefined || args === null ? "" : JSON.stringify(args);
}

/** Text inside text is taken out, nothing becomes no arguments; what cannot be read stays for the model to be told. */
function unwrap(json: string): string {
  if (json.trim() === "") return "{}";
  if (!json.trimStart().startsWith('"')) return json;
  const inner = parseJson(json);
  return typeof inner === "string" && /^\s*\{/.test(inner) ? inner : json;
}
