/** A path of the old server that was given up there too. */
import { z } from "zod";
import { defineRoute, type Route } from "../../route.ts";
import { WireObject, wireName } from "../shared/fields.ts";

export function voiceRoutes(): Route[] {
  return [
    defineRoute({
      method: "POST",
      path: "/v1/voice-beta/{agent_id}/chat/completions",
      operationId: "create_voice_chat_completions",
      summary: "Gone",
      tag: "voice",
      access: "member",
      scope: "none",
      isDeprecated: true,
      params: z.object({ agent_id: wireName }),
      body: WireObject,
      response: WireObject,
      handler: async () => {
        const message = "This path is no longer served: use /v1/agents/{agent_id}/messages instead.";
        throw Object.assign(new Error(message), { statusCode: 410 });
      },
    }),
  ];
}
