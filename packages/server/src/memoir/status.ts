/** `/v1/memoir/status`: what the page in the browser shows. */
import { type Memoir, version } from "@memoir/core";
import { z } from "zod";
import type { FoundProvider } from "../detect-providers.ts";
import { compatibleVersion } from "../letta/health/routes.ts";
import { toWireTime } from "../letta/shared/time.ts";
import { defineRoute, type Route } from "../route.ts";

export interface StatusWire {
  version: string;
  compatible_with: string;
  started_at: string;
  /** Where the data are, and which keys the operator has, is shown to owners only. */
  database: { kind: "sqlite" | "postgres"; location: string | null };
  providers: { name: string; title: string; found: boolean; detail: string }[];
  counts: { agents: number; blocks: number };
}

export const StatusWire: z.ZodType<StatusWire> = z
  .strictObject({
    version: z.string(),
    compatible_with: z.string(),
    started_at: z.string(),
    database: z.strictObject({ kind: z.enum(["sqlite", "postgres"]), location: z.string().nullable() }),
    providers: z.array(z.strictObject({ name: z.string(), title: z.string(), found: z.boolean(), detail: z.string() })),
    counts: z.strictObject({ agents: z.int(), blocks: z.int() }),
  })
  .meta({ id: "MemoirStatus" });

export function statusRoutes(memoir: Memoir, findProviders: () => Promise<FoundProvider[]>): Route[] {
  const startedAt = Date.now() * 1000;
  return [
    defineRoute({
      method: "GET",
      path: "/v1/memoir/status",
      operationId: "memoir_status",
      summary: "What is running, and what it found",
      tag: "memoir",
      access: "read",
      scope: "none",
      response: StatusWire,
      handler: async ({ actor, caller }) => {
        const { kind, path } = memoir.location;
        const isOwner = caller.role === "owner";
        const providers = isOwner ? await findProviders() : [];
        return {
          version,
          compatible_with: compatibleVersion,
          started_at: toWireTime(startedAt),
          database: { kind, location: isOwner ? path : null },
          providers: providers.map(({ name, title, found, detail }) => ({ name, title, found, detail })),
          counts: { agents: await memoir.agents.count(actor), blocks: await memoir.blocks.count(actor) },
        };
      },
    }),
  ];
}
