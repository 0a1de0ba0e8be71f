/** `/v1/admin`: organizations and users, for whoever runs the server. */
import { type Memoir, MemoirError, type Organization, type StoredUser } from "@memoir/core";
import { z } from "zod";
import { defineRoute, type Route } from "../../route.ts";
import { optional, wireName } from "../shared/fields.ts";
import { idSchema } from "../shared/ids.ts";
import { pageSize } from "../shared/paging.ts";
import { queryInteger, queryText } from "../shared/query.ts";
import { toWireTime } from "../shared/time.ts";

const tag = "admin";

const UserWire = z
  .strictObject({
    id: z.string(),
    organization_id: z.string(),
    name: z.string(),
    created_at: z.string(),
    updated_at: z.string(),
    is_deleted: z.boolean(),
  })
  .meta({ id: "User" });

const OrganizationWire = z
  .strictObject({ id: z.string(), name: z.string(), created_at: z.string(), privileged_tools: z.boolean() })
  .meta({ id: "Organization" });

const PageQuery = z.object({ after: queryText, limit: queryInteger() });
const OrgQuery = z.object({ org_id: idSchema("org") });
const UserQuery = z.object({ user_id: idSchema("user") });

const defaultLimit = 50;

export function adminRoutes(memoir: Memoir): Route[] {
  return [...userRoutes(memoir), ...organizationRoutes(memoir)];
}

function userRoutes(memoir: Memoir): Route[] {
  const path = "/v1/admin/users/";
  return [
    defineRoute({
      method: "GET",
      path,
      operationId: "list_users",
      summary: "List users of all organizations, oldest first",
      tag,
      access: "admin",
      scope: "none",
      query: PageQuery,
      response: z.array(UserWire),
      handler: async ({ query }) => {
        const page = { limit: pageSize(query.limit ?? defaultLimit), ...(query.after ? { after: query.after } : {}) };
        return (await memoir.tenants.listUsers(page)).map((user) => toUserWire(user));
      },
    }),
    defineRoute({
      method: "POST",
      path,
      operationId: "create_user",
      summary: "Create a user",
      tag,
      access: "admin",
      scope: "none",
      body: z.object({ name: wireName, organization_id: optional(idSchema("org")) }),
      response: UserWire,
      handler: async ({ body: { name, organization_id: orgId } }) =>
        toUserWire(await memoir.tenants.createUser({ name, ...(orgId ? { orgId } : {}) })),
    }),
    defineRoute({
      method: "PUT",
      path,
      operationId: "update_user",
      summary: "Rename a user",
      tag,
      access: "admin",
      scope: "none",
      body: z.object({
        id: idSchema("user"),
        name: optional(wireName),
        organization_id: optional(idSchema("org")),
      }),
      response: UserWire,
      handler: async ({ body: { id, name, organization_id } }) => {
        const user = await memoir.tenants.getUser(id);
        if (organization_id !== undefined && organization_id !== user.orgId) {
          const problem = "a user stays in its organization: create another user there instead";
          throw new MemoirError("invalid-argument", problem, { details: { field: "organization_id" } });
        }
        return toUserWire(name === undefined ? user : await memoir.tenants.renameUser(id, name));
      },
    }),
    defineRoute({
      method: "DELETE",
      path,
      operationId: "delete_user",
      summary: "Delete a user with its keys; what the user made stays",
      tag,
      access: "admin",
      scope: "none",
      query: UserQuery,
      response: UserWire,
      handler: async ({ query }) => toUserWire(await memoir.tenants.deleteUser(query.user_id), true),
    }),
  ];
}

function organizationRoutes(memoir: Memoir): Route[] {
  const path = "/v1/admin/orgs/";
  return [
    defineRoute({
      method: "GET",
      path,
      operationId: "list_orgs",
      summary: "List organizations, oldest first",
      tag,
      access: "admin",
      scope: "none",
      query: PageQuery,
      response: z.array(OrganizationWire),
      handler: async ({ query }) => {
        const page = { limit: pageSize(query.limit ?? defaultLimit), ...(query.after ? { after: query.after } : {}) };
        return (await memoir.tenants.listOrganizations(page)).map(toOrganizationWire);
      },
    }),
    defineRoute({
      method: "POST",
      path,
      operationId: "create_organization",
      summary: "Create an organization",
      tag,
      access: "admin",
      scope: "none",
      body: z.object({ name: optional(wireName), privileged_tools: optional(z.boolean()) }),
      response: OrganizationWire,
      handler: async ({ body }) => {
        rejectPrivileges(body);
        return toOrganizationWire(await memoir.tenants.createOrganization(body.name));
      },
    }),
    defineRoute({
      method: "PATCH",
      path,
      operationId: "update_organization",
      summary: "Rename an organization",
      tag,
      access: "admin",
      scope: "none",
      query: OrgQuery,
      body: z.object({ name: optional(wireName), privileged_tools: optional(z.boolean()) }),
      response: OrganizationWire,
      handler: async ({ query, body }) => {
        rejectPrivileges(body);
        const id = query.org_id;
        if (body.name === undefined) return toOrganizationWire(await memoir.tenants.getOrganization(id));
        return toOrganizationWire(await memoir.tenants.renameOrganization(id, body.name));
      },
    }),
    defineRoute({
      method: "DELETE",
      path,
      operationId: "delete_organization_by_id",
      summary: "Delete an organization with everything it owns",
      tag,
      access: "admin",
      scope: "none",
      query: OrgQuery,
      response: OrganizationWire,
      handler: async ({ query }) => toOrganizationWire(await memoir.tenants.deleteOrganization(query.org_id)),
    }),
  ];
}

/** All tools run in a sandbox here; there are none that could be let out of it. */
function rejectPrivileges({ privileged_tools }: { readonly privileged_tools?: boolean | undefined }): void {
  if (!privileged_tools) return;
  throw new MemoirError("invalid-argument", "there are no privileged tools here: leave privileged_tools out", {
    details: { field: "privileged_tools" },
  });
}

function toUserWire(user: StoredUser, isDeleted = false) {
  return {
    id: user.id,
    organization_id: user.orgId,
    name: user.name,
    created_at: toWireTime(user.createdAt),
    updated_at: toWireTime(user.updatedAt),
    is_deleted: isDeleted,
  };
}

function toOrganizationWire(organization: Organization) {
  return {
    id: organization.id,
    name: organization.name,
    created_at: toWireTime(organization.createdAt),
    privileged_tools: false,
  };
}
