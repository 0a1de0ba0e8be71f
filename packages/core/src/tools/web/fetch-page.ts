/** `fetch_webpage`: one page as text. */
import { findAddressFault } from "../../network/private-addresses.ts";
import type { JsonObject } from "../../shared/json.ts";
import type { OutsideCall } from "../tool.ts";
import { findExaAccess, type WebTools } from "./access.ts";
import { readByExa } from "./exa.ts";
import { type Page, readPage } from "./read-page.ts";

/** Exa also has pages that keep programs out; what it does not have is read from here. */
export async function fetchPage(tools: WebTools, url: string, call: OutsideCall): Promise<JsonObject | string> {
  const exa = await readExa(tools, url, call);
  if (exa) return exa;
  const page = await readOutside(tools, url, call);
  const head = [
    ...(page.title ? [`# ${page.title}`, ""] : []),
    `Address: ${page.url}`,
    ...(page.publishedAt ? [`Published: ${page.publishedAt}`] : []),
    ...(page.author ? [`Author: ${page.author}`] : []),
  ];
  const text = page.text || "(The page holds no text; it may build its content in the browser.)";
  return [...head, "", text, ...(page.isCut ? ["", "(The page is longer; the rest was not read.)"] : [])].join("\n");
}

/** Addresses inside the own network are nobody else's business. */
async function readExa(tools: WebTools, url: string, call: OutsideCall): Promise<JsonObject | undefined> {
  const access = findAddressFault(url, []) === undefined ? await findExaAccess(tools, call) : undefined;
  if (!access) return undefined;
  try {
    const page = await readByExa(url, access);
    if (!page) return undefined;
    return { title: page.title, published_date: page.publishedAt, author: page.author, text: page.text };
  } catch (error) {
    if (call.signal.aborted) throw error;
    return undefined;
  }
}

export async function readOutside(
  { web, findAddresses }: WebTools,
  url: string,
  { orgId, signal }: OutsideCall,
): Promise<Page> {
  return await readPage(url, {
    owner: orgId,
    allowedHosts: web.pageHosts ?? [],
    signal,
    ...(findAddresses ? { findAddresses } : {}),
  });
}
