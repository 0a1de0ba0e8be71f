/**
 * Images of a request, before anything is written: those at an address are fetched once, those that are stored already are
 * looked up. What is accepted afterwards depends on no other host.
 */
import { createHash } from "node:crypto";
import type { ContentPart, ImageSource } from "../../shared/content.ts";
import { MemoirError } from "../../shared/errors.ts";
import { findImage } from "../../store/conversations/content.ts";
import type { Scope } from "../../store/engine/scope.ts";
import { fetchImage, type ImageFetch, readDataAddress } from "./fetch-image.ts";
import type { InputImage, InputMessage, InputPart, ReadyMessage } from "./send-message.ts";

/** Of one request, however many messages it holds. */
export interface ImageBudget {
  images: number;
  bytes: number;
}

export const maxImages = 20;
export const maxImageBytes = 32 * 1024 * 1024;
const fetchesAtOnce = 4;

export interface ImageSources {
  /** Of the caller's organization. */
  readonly scope: Scope;
  readonly fetching: ImageFetch;
  readonly budget: ImageBudget;
  /** What the same request was stored with when it was first sent; its images are not fetched again. */
  readonly known: readonly ContentPart[];
}

/** Whether nothing has to be fetched or looked up. */
export function areReady(messages: readonly InputMessage[]): messages is readonly ReadyMessage[] {
  return !messages.some(({ content }) => content.some(isForeign));
}

const isForeign = (part: InputPart): boolean =>
  part.type === "image" && (part.source.type === "url" || part.source.type === "reference");

export async function resolveImages(
  sources: ImageSources,
  messages: readonly InputMessage[],
): Promise<readonly ReadyMessage[]> {
  const fetched = await fetchAll(sources, messages);
  const ready: ReadyMessage[] = [];
  for (const message of messages) {
    const content: ContentPart[] = [];
    for (const part of message.content) content.push(await resolvePart(sources, fetched, part));
    ready.push({ ...message, content });
  }
  return ready;
}

async function resolvePart(
  { scope }: ImageSources,
  fetched: ReadonlyMap<string, ImageSource>,
  part: InputPart,
): Promise<ContentPart> {
  if (part.type !== "image") return part;
  const { source } = part;
  if (source.type === "reference") return { type: "image", source: await findStored(scope, source) };
  const found = source.type === "url" ? fetched.get(source.url) : undefined;
  if (!found || source.type !== "url") return { type: "image", source };
  return { type: "image", source: source.detail ? { ...found, detail: source.detail } : found };
}

async function findStored(scope: Scope, { id, hashStart, detail }: InputImage): Promise<ImageSource> {
  const found = /^[0-9a-f]{30,64}$/.test(hashStart) ? await findImage(scope, hashStart) : undefined;
  if (found) return { type: "stored", ...found, ...(detail ? { detail } : {}) };
  throw new MemoirError(
    "invalid-argument",
    `there is no stored image ${id}: send the image itself, as data with its media type`,
    { details: { field: "messages" } },
  );
}

/** Each address once, a few at a time; the first that fails stops the others. */
async function fetchAll(sources: ImageSources, messages: readonly InputMessage[]): Promise<Map<string, ImageSource>> {
  const waiting = [...new Set(messages.flatMap(({ content }) => content.flatMap(addressOf)))];
  sources.budget.images += waiting.length;
  if (sources.budget.images > maxImages) throw tooMany(`more than ${maxImages} images by address`);
  const fetched = new Map<string, ImageSource>();
  const stop = new AbortController();
  const work = async () => {
    for (let address = waiting.shift(); address !== undefined; address = waiting.shift()) {
      fetched.set(address, await getImage(sources, address, stop.signal));
    }
  };
  try {
    await Promise.all(Array.from({ length: fetchesAtOnce }, work));
    return fetched;
  } finally {
    waiting.length = 0;
    stop.abort();
  }
}

function addressOf(part: InputPart): string[] {
  return part.type === "image" && part.source.type === "url" ? [part.source.url] : [];
}

async function getImage(
  { fetching, budget, known }: ImageSources,
  address: string,
  signal: AbortSignal,
): Promise<ImageSource> {
  if (address.startsWith("data:")) return { type: "base64", ...readDataAddress(address) };
  const origin = createHash("sha256").update(address).digest("hex");
  const before = known.find(
    (part) => part.type === "image" && "origin" in part.source && part.source.origin === origin,
  );
  if (before?.type === "image" && before.source.type === "stored") {
    const { hash, mediaType } = before.source;
    return { type: "stored", hash, mediaType, origin };
  }
  const { mediaType, data, bytes } = await fetchImage(fetching, address, signal);
  budget.bytes += bytes;
  if (budget.bytes > maxImageBytes) throw tooMany(`images by address of more than ${maxImageBytes} bytes together`);
  return { type: "base64", mediaType, data, origin };
}

function tooMany(what: string): MemoirError {
  return new MemoirError("invalid-argument", `a request takes no ${what}: send several messages`, {
    details: { field: "messages" },
  });
}
