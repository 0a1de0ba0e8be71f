/**
 * OpenAI's models on Azure: the same protocols, at a deployment's own path with a version in the query, or on the newer
 * surface that ends in `/openai/v1` and is OpenAI's in all but the key's header.
 */
import { stripTrailingSlashes } from "../../shared/trim.ts";
import type { Model } from "../model.ts";
import { createOpenAiModel } from "./openai.ts";
import type { AdapterAccess } from "./protocol.ts";

const defaultVersion = "2024-09-01-preview";

export function createAzureModel(access: AdapterAccess, apiVersion = defaultVersion): Model {
  const headers = { ...access.headers, "api-key": access.apiKey };
  const root = stripTrailingSlashes(access.baseUrl);
  if (/\/openai\/v1$/.test(root)) {
    return createOpenAiModel({ ...access, baseUrl: root, headers, fetch: withoutBearer(access.fetch) });
  }
  const deployments = `${root.replace(/\/openai$/, "")}/openai/deployments`;
  const fetch = withoutBearer((input, init) =>
    access.fetch(toDeployment(String(input), deployments, readModel(init), apiVersion), init),
  );
  // Versions before 2025-03 have no Responses, and those that have put it elsewhere.
  return createOpenAiModel({ ...access, baseUrl: deployments, headers, fetch }, { onlyChat: true });
}

function withoutBearer(fetch: typeof globalThis.fetch): typeof globalThis.fetch {
  return (input, init) => {
    const headers = new Headers(init?.headers);
    headers.delete("authorization");
    return fetch(input, { ...init, headers });
  };
}

function toDeployment(url: string, deployments: string, model: string, version: string): string {
  const path = url.slice(deployments.length);
  return `${deployments}/${encodeURIComponent(model)}${path}?api-version=${encodeURIComponent(version)}`;
}

function readModel(init: RequestInit | undefined): string {
  const { model } = JSON.parse(String(init?.body)) as { readonly model?: unknown };
  return String(model);
}
