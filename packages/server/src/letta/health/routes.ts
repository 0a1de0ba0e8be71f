/** `/v1/health` and `/v1/ready`: alive, and able to work with the database. */
import { isMemoirError, type Memoir, MemoirError, version } from "@memoir/core";
import { z } from "zod";
import { defineRoute, type Route } from "../../route.ts";

/** The release whose clients we serve; they read it from here. */
export const compatibleVersion = "0.16.8";

interface HealthWire {
  version: string;
  status: string;
  memoir_version: string;
}

const HealthWire: z.ZodType<HealthWire> = z
  .strictObject({ version: z.string(), status: z.string(), memoir_version: z.string() })
  .meta({ id: "Health" });

const healthy: HealthWire = { version: compatibleVersion, status: "ok", memoir_version: version };

export function healthRoutes(memoir: Memoir): Route[] {
  return [
    defineRoute({
      method: "GET",
      path: "/v1/health/",
      operationId: "check_health",
      summary: "Is the server up?",
      tag: "health",
      access: "open",
      scope: "none",
      response: HealthWire,
      handler: async () => healthy,
    }),
    defineRoute({
      method: "GET",
      path: "/v1/ready/",
      operationId: "check_readiness",
      summary: "Can the server work: does its database answer, and can it be written to?",
      tag: "health",
      access: "open",
      scope: "none",
      response: HealthWire,
      handler: async () => {
        try {
          await memoir.checkReady();
        } catch (error) {
          if (isMemoirError(error, "unavailable")) throw error;
          throw new MemoirError("unavailable", "the database does not answer", { cause: error });
        }
        return healthy;
      },
    }),
  ];
}
