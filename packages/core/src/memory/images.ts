/** Images are stored once, by their hash; messages name them, and a model is given them in full. */
import type { ModelRequest } from "../model/model.ts";
import type { ContentPart } from "../shared/content.ts";
import { findContents, putContent } from "../store/conversations/content.ts";
import type { Message } from "../store/conversations/messages.ts";
import type { Scope } from "../store/engine/scope.ts";
import { hasImage } from "./window.ts";

export async function storeImages<M extends { readonly content: readonly ContentPart[] }>(
  scope: Scope,
  message: M,
): Promise<M> {
  const content: ContentPart[] = [];
  for (const part of message.content) content.push(await storeImage(scope, part));
  return { ...message, content };
}

async function storeImage(scope: Scope, part: ContentPart): Promise<ContentPart> {
  if (part.type !== "image" || part.source.type !== "base64") return part;
  const { mediaType, data, detail, origin } = part.source;
  const hash = await putContent(scope, mediaType, Buffer.from(data, "base64"));
  const more = { ...(origin ? { origin } : {}), ...(detail ? { detail } : {}) };
  return { type: "image", source: { type: "stored", hash, mediaType, ...more } };
}

/** The request with its images in full. */
export async function withImages(scope: Scope, request: ModelRequest): Promise<ModelRequest> {
  const hashes = request.messages.filter(hasImage).flatMap((message) => message.content.flatMap(hashOf));
  if (hashes.length === 0) return request;
  const stored = await findContents(scope, hashes);
  const restore = (part: ContentPart): ContentPart => {
    if (part.type !== "image" || part.source.type !== "stored") return part;
    const { hash, mediaType, detail } = part.source;
    const body = stored.get(hash)?.body;
    if (!body) return { type: "text", text: "[an image that is no longer stored]" };
    const data = Buffer.from(body).toString("base64");
    return { type: "image", source: { type: "base64", mediaType, data, ...(detail ? { detail } : {}) } };
  };
  const messages = request.messages.map((message) =>
    hasImage(message) ? { ...message, content: message.content.map(restore) } : message,
  );
  return { ...request, messages };
}

function hashOf(part: ContentPart): string[] {
  return part.type === "image" && part.source.type === "stored" ? [part.source.hash] : [];
}

/** Messages as API callers see them: stored images with their data. */
export async function withImageData(scope: Scope, messages: readonly Message[]): Promise<Message[]> {
  const hashes = messages.flatMap(({ content }) => (content ?? []).flatMap((part) => storedImage(part)?.hash ?? []));
  const bodies = await findContents(scope, hashes);
  const fill = (part: ContentPart): ContentPart => {
    const source = storedImage(part);
    const body = source && bodies.get(source.hash)?.body;
    return body ? { type: "image", source: { ...source, data: Buffer.from(body).toString("base64") } } : part;
  };
  return bodies.size === 0
    ? [...messages]
    : messages.map((message) => ({ ...message, content: message.content?.map(fill) ?? null }));
}

function storedImage(part: ContentPart) {
  return part.type === "image" && part.source.type === "stored" ? part.source : undefined;
}
