/** REST tools between core and wire. */
import { type NewRestTools, omitUndefined, type SavedRestTools } from "@memoir/core";
import { toToolWire } from "../../letta/tools/mapper.ts";
import type { NewRestToolsWire, RestToolsWire } from "./schema.ts";

export function fromNewRestTools(wire: NewRestToolsWire, projectId: string | undefined): NewRestTools {
  const { openapi, base_url: baseUrl, operations, prefix, template } = wire;
  return omitUndefined({
    openapi: openapi && { document: openapi, ...omitUndefined({ baseUrl, operations, prefix }) },
    template: template && {
      name: template.name,
      description: template.description,
      method: template.method,
      url: template.url,
      ...omitUndefined({ headers: template.headers, parameters: template.parameters }),
    },
    credentials: wire.credentials && omitUndefined(wire.credentials),
    tags: wire.tags,
    timeoutMs: wire.timeout_seconds === undefined ? undefined : wire.timeout_seconds * 1_000,
    returnCharLimit: wire.return_char_limit,
    needsApproval: wire.default_requires_approval,
    projectId,
  });
}

export function toRestToolsWire({ tools, skipped }: SavedRestTools): RestToolsWire {
  return {
    tools: tools.map(toToolWire),
    skipped: skipped.map(({ operation, reason }) => ({ operation, reason })),
  };
}
