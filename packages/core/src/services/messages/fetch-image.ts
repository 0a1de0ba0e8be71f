/** Reads an image that stands at an address. Its kind is told by its first bytes, not by what the other host says of it. */
import { guardedFetch } from "../../network/guarded-fetch.ts";
import type { FindAddresses } from "../../network/private-addresses.ts";
import { isMemoirError, MemoirError } from "../../shared/errors.ts";

export interface ImageFetch {
  /** Hosts inside the own network that images may be fetched from. */
  readonly allowedHosts: readonly string[];
  readonly findAddresses?: FindAddresses;
}

export interface FetchedImage {
  readonly mediaType: string;
  /** Base64. */
  readonly data: string;
  readonly bytes: number;
}

const longestImage = 10 * 1024 * 1024;
const timeoutMs = 10_000;

export async function fetchImage(
  { allowedHosts, findAddresses }: ImageFetch,
  address: string,
  signal: AbortSignal,
): Promise<FetchedImage> {
  const answer = await guardedFetch(address, {
    headers: { accept: "image/png, image/jpeg, image/gif, image/webp" },
    allowedHosts,
    allowSetting: "MEMOIR_FETCH_ALLOW_PRIVATE",
    maxBytes: longestImage,
    timeoutMs,
    signal,
    followsCrossOrigin: true,
    ...(findAddresses ? { findAddresses } : {}),
  }).catch((error: unknown) => {
    if (!isMemoirError(error, "tool-failed")) throw error;
    throw refuse(address, error.message);
  });
  const { status, body, isCut } = answer;
  if (status < 200 || status > 299) throw refuse(address, `its host answered with status ${status}.`);
  if (isCut) throw refuse(address, `it is larger than ${longestImage} bytes.`);
  return toImage(address, body);
}

/** Of an address that holds the image itself: `data:image/png;base64,…`. */
export function readDataAddress(address: string): Omit<FetchedImage, "bytes"> {
  const comma = address.indexOf(",");
  const isBase64 = comma !== -1 && /;base64$/i.test(address.slice(Math.max(0, comma - 7), comma));
  if (!isBase64) throw refuse(address, "a data address has the form data:image/png;base64,…");
  const { mediaType, data } = toImage(address, Buffer.from(address.slice(comma + 1), "base64"));
  return { mediaType, data };
}

function toImage(address: string, body: Buffer): FetchedImage {
  const mediaType = findImageType(body);
  if (mediaType === undefined) throw refuse(address, "it is not a PNG, JPEG, GIF or WebP image.");
  return { mediaType, data: body.toString("base64"), bytes: body.length };
}

/** By the bytes that files of each kind begin with. */
export function findImageType(body: Uint8Array): string | undefined {
  const start = Buffer.from(body.subarray(0, 12)).toString("latin1");
  if (start.startsWith("\x89PNG\r\n\x1a\n")) return "image/png";
  if (start.startsWith("\xff\xd8\xff")) return "image/jpeg";
  if (/^GIF8[79]a/.test(start)) return "image/gif";
  return /^RIFF....WEBP/s.test(start) ? "image/webp" : undefined;
}

/** Without the query, which may hold a signature. */
function refuse(address: string, reason: string): MemoirError {
  const shown = address
    .split(/[?#]/, 1)
    .join("")
    .slice(0, address.startsWith("data:") ? 40 : 300);
  return new MemoirError("invalid-argument", `the image at ${shown} cannot be used: ${reason}`, {
    details: { field: "messages" },
  });
}
