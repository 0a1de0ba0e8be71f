/** `/v1/providers`: providers that callers bring themselves. Those of the environment are not in the list. */
import type { Memoir } from "@memoir/core";
import { z } from "zod";
import { defineRoute, type Route } from "../../route.ts";
import { toPage } from "../shared/paging.ts";
import {
  fromProviderCheck,
  fromProviderCreate,
  fromProviderSettings,
  fromProviderType,
  toProviderWire,
} from "./mapper.ts";
import {
  NoticeWire,
  ProviderCheckWire,
  ProviderCreateWire,
  ProviderListQuery,
  ProviderParams,
  ProviderUpdateWire,
  ProviderWire,
} from "./schema.ts";

const tag = "providers";
const accepted = { message: "The provider accepted the key." };

export function providerRoutes(memoir: Memoir): Route[] {
  return [
    defineRoute({
      method: "GET",
      path: "/v1/providers/",
      operationId: "list_providers",
      summary: "List stored providers",
      tag,
      access: "read",
      scope: "none",
      query: ProviderListQuery,
      response: z.array(ProviderWire),
      handler: async ({ actor, query }) => {
        const filter = {
          ...(query.name === undefined ? {} : { name: query.name }),
          ...(query.provider_type === undefined ? {} : { type: fromProviderType(query.provider_type) }),
        };
        const page = toPage(query, { limit: 50, order: "desc" });
        const providers = await memoir.providers.list(actor, filter, page);
        return providers.map((provider) => toProviderWire(provider, actor));
      },
    }),
    defineRoute({
      method: "POST",
      path: "/v1/providers/",
      operationId: "create_provider",
      summary: "Store a provider with its key, and ask it for its models",
      tag,
      access: "owner",
      scope: "none",
      body: ProviderCreateWire,
      response: ProviderWire,
      handler: async ({ actor, body }) =>
        toProviderWire(await memoir.providers.create(actor, fromProviderCreate(body)), actor),
    }),
    defineRoute({
      method: "POST",
      path: "/v1/providers/check",
      operationId: "check_provider",
      summary: "Try a key without storing it",
      tag,
      access: "owner",
      scope: "none",
      body: ProviderCheckWire,
      response: NoticeWire,
      handler: async ({ actor, body }) => {
        await memoir.providers.check(actor, fromProviderCheck(body));
        return accepted;
      },
    }),
    defineRoute({
      method: "GET",
      path: "/v1/providers/{provider_id}",
      operationId: "retrieve_provider",
      summary: "Retrieve a stored provider",
      tag,
      access: "owner",
      scope: "none",
      params: ProviderParams,
      response: ProviderWire,
      handler: async ({ actor, params }) =>
        toProviderWire(await memoir.providers.get(actor, params.provider_id), actor),
    }),
    defineRoute({
      method: "PATCH",
      path: "/v1/providers/{provider_id}",
      operationId: "modify_provider",
      summary: "Change a stored provider's key or address",
      tag,
      access: "owner",
      scope: "none",
      params: ProviderParams,
      body: ProviderUpdateWire,
      response: ProviderWire,
      handler: async ({ actor, params, body }) =>
        toProviderWire(await memoir.providers.update(actor, params.provider_id, fromProviderSettings(body)), actor),
    }),
    defineRoute({
      method: "DELETE",
      path: "/v1/providers/{provider_id}",
      operationId: "delete_provider",
      summary: "Delete a stored provider and its key",
      tag,
      access: "owner",
      scope: "none",
      params: ProviderParams,
      response: NoticeWire,
      handler: async ({ actor, params }) => {
        await memoir.providers.delete(actor, params.provider_id);
        return { message: `Provider id=${params.provider_id} successfully deleted` };
      },
    }),
    defineRoute({
      method: "POST",
      path: "/v1/providers/{provider_id}/check",
      operationId: "check_existing_provider",
      summary: "Try a stored provider's key",
      tag,
      access: "owner",
      scope: "none",
      params: ProviderParams,
      response: NoticeWire,
      handler: async ({ actor, params }) => {
        await memoir.providers.checkStored(actor, params.provider_id);
        return accepted;
      },
    }),
    defineRoute({
      method: "PATCH",
      path: "/v1/providers/{provider_id}/refresh",
      operationId: "refresh_provider_models",
      summary: "Ask a stored provider for its models again",
      tag,
      access: "owner",
      scope: "none",
      params: ProviderParams,
      response: ProviderWire,
      handler: async ({ actor, params }) =>
        toProviderWire(await memoir.providers.refresh(actor, params.provider_id), actor),
    }),
  ];
}
