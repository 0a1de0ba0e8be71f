/** What an HTML page says, without what stands around it; on a thread, because pages may have 5 MB of anything. */
import { type HtmlPage, parseHtml } from "./html-tree.ts";
import { findMainContent } from "./main-content.ts";
import { toMarkdown } from "./markdown.ts";

export interface HtmlSource {
  readonly html: string;
  /** Against which links are read. */
  readonly url: string;
}

export interface HtmlText {
  readonly title: string | null;
  readonly publishedAt: string | null;
  readonly author: string | null;
  readonly text: string;
}

export function readHtml({ html, url }: HtmlSource): HtmlText {
  const page = parseHtml(html);
  return {
    title: page.metas.get("og:title") ?? page.title ?? null,
    publishedAt: findMeta(page, "article:published_time", "datepublished", "date", "dc.date", "pubdate"),
    author: findMeta(page, "author", "article:author", "dc.creator", "byl"),
    text: toMarkdown(findMainContent(page.body), new URL(url)),
  };
}

function findMeta({ metas }: HtmlPage, ...names: string[]): string | null {
  return names.map((name) => metas.get(name)).find((value) => value !== undefined && value.length <= 200) ?? null;
}
