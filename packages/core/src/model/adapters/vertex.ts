/** Gemini on Vertex: the same bodies at the address of a project, with a token of Google Cloud instead of a key. */
import { stripTrailingSlashes } from "../../shared/trim.ts";
import type { Model } from "../model.ts";
import { speakGoogle } from "./google.ts";
import { createTokenSource } from "./google-token.ts";
import type { AdapterAccess } from "./protocol.ts";

export interface VertexPlace {
  readonly project?: string;
  readonly location?: string;
}

export function createVertexModel(access: AdapterAccess, { project = "", location = "" }: VertexPlace): Model {
  const host = location === "global" ? "aiplatform.googleapis.com" : `${nameHost(location)}-aiplatform.googleapis.com`;
  const base = access.baseUrl === "" ? `https://${host}` : stripTrailingSlashes(access.baseUrl);
  const path = `v1/projects/${encodeURIComponent(project)}/locations/${encodeURIComponent(location)}/publishers/google`;
  const source = createTokenSource(access.apiKey, access.fetch);
  return speakGoogle(access, `${base}/${path}`, async (signal) => ({
    authorization: `Bearer ${await source.getToken(signal)}`,
  }));
}

/** A location becomes part of a host's name, so it must not be able to name another. */
function nameHost(location: string): string {
  return location.replaceAll(/[^a-z0-9-]/g, "");
}
