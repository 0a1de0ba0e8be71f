/** `/v1/auth`: what older pages ask before they show themselves: whether a password is the right one. */
import { defaultUserId, MemoirError } from "@memoir/core";
import { z } from "zod";
import { isSamePassword } from "../../caller.ts";
import type { LoginThrottle } from "../../login-throttle.ts";
import { defineRoute, type Route } from "../../route.ts";
import { optional, wireLine } from "../shared/fields.ts";

export interface AuthOptions {
  readonly password?: string;
  readonly needsKey?: boolean;
  readonly throttle?: LoginThrottle;
}

export function authRoutes({ password, needsKey, throttle }: AuthOptions): Route[] {
  return [
    defineRoute({
      method: "POST",
      path: "/v1/auth",
      operationId: "authenticate_user",
      summary: "Whether a password is the right one, and who its holder is",
      tag: "auth",
      access: "open",
      scope: "none",
      body: z.object({ password: optional(wireLine) }),
      isBodyOptional: true,
      response: z.strictObject({ uuid: z.string(), is_admin: z.boolean() }),
      handler: async ({ body, request }) => {
        throttle?.check(request.ip);
        const isRight = password === undefined ? needsKey !== true : isSamePassword(body.password ?? "", password);
        if (!isRight) throttle?.fail(request.ip);
        if (!isRight) throw new MemoirError("unauthenticated", "Unauthorized");
        return { uuid: defaultUserId.slice("user-".length), is_admin: true };
      },
    }),
  ];
}
