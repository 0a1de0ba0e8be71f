/** A web page as text: fetched, decoded as it says it is, and without what stands around its content. */
import { type GuardedResponse, guardedFetch } from "../../network/guarded-fetch.ts";
import type { FindAddresses } from "../../network/private-addresses.ts";
import { ToolFailure } from "../../shared/tool-failure.ts";
import { version } from "../../shared/version.ts";
import { runOnThread, ThreadFailure } from "../../threads/threads.ts";
import type { HtmlSource, HtmlText } from "./html-page.ts";

export interface Page extends HtmlText {
  /** Where it was found in the end. */
  readonly url: string;
  readonly isCut: boolean;
}

export interface PageReading {
  /** For whom; the organization. */
  readonly owner: string;
  readonly allowedHosts: readonly string[];
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
  readonly findAddresses?: FindAddresses;
}

const defaultTimeoutMs = 30_000;
const maxBytes = 5_000_000;

export async function readPage(address: string, reading: PageReading): Promise<Page> {
  const { allowedHosts, timeoutMs = defaultTimeoutMs, signal, findAddresses } = reading;
  const answer = await guardedFetch(address, {
    headers: {
      accept: "text/html,application/xhtml+xml,text/markdown;q=0.9,text/plain;q=0.8,*/*;q=0.5",
      "accept-language": "en,*;q=0.5",
      "user-agent": `Mozilla/5.0 (compatible; Memoir/${version})`,
    },
    allowedHosts,
    allowSetting: "MEMOIR_FETCH_ALLOW_PRIVATE",
    maxBytes: maxBytes,
    timeoutMs,
    followsCrossOrigin: true,
    ...(signal ? { signal } : {}),
    ...(findAddresses ? { findAddresses } : {}),
  });
  if (answer.status < 200 || answer.status > 299) {
    throw new ToolFailure(`${answer.url.href} answered ${answer.status} ${answer.statusText}`.trim());
  }
  return await toPage(answer, reading.owner);
}

async function toPage(answer: GuardedResponse, owner: string): Promise<Page> {
  const { url, isCut } = answer;
  switch (kindOf(answer)) {
    case "html":
      return { ...(await readOnThread({ html: decode(answer), url: url.href }, owner)), url: url.href, isCut };
    case "text":
      return { url: url.href, title: null, publishedAt: null, author: null, text: decode(answer).trim(), isCut };
    case "other":
      throw new ToolFailure(
        `${url.href} is no page of text but ${answer.mediaType || "data of no known kind"}, which cannot be read here.`,
      );
  }
}

const deadlineMs = 10_000;

async function readOnThread(source: HtmlSource, owner: string): Promise<HtmlText> {
  try {
    return await runOnThread<HtmlText>("read-html", source, { owner, deadlineMs });
  } catch (error) {
    if (!(error instanceof ThreadFailure)) throw error;
    throw new ToolFailure(`${source.url} is too large or too complicated to be read as a page.`);
  }
}

const textTypes =
  /^(text\/(?!html).*|application\/(json|ld\+json|xml|javascript|x-javascript|yaml|x-yaml|toml|x-sh|[\w.-]+\+(json|xml)))$/;

function kindOf({ mediaType, body }: GuardedResponse): "html" | "text" | "other" {
  if (mediaType === "text/html" || mediaType === "application/xhtml+xml") return "html";
  if (textTypes.test(mediaType)) return "text";
  const isUnsaid = mediaType === "" || mediaType === "application/octet-stream";
  if (!isUnsaid || body.subarray(0, 1024).includes(0)) return "other";
  return /^\s*<(!doctype\s+html|html|head|body|\?xml)/i.test(body.toString("latin1", 0, 1024)) ? "html" : "text";
}

/** As the page says it is written; as UTF-8 where it does not say, or says something unknown. */
function decode({ body, charset }: GuardedResponse): string {
  const said =
    charset ?? /<meta[^>]{0,200}charset\s*=\s*["']?([\w-]{1,40})/i.exec(body.toString("latin1", 0, 2048))?.[1];
  try {
    return new TextDecoder(said ?? "utf-8").decode(body);
  } catch {
    return new TextDecoder().decode(body);
  }
}
