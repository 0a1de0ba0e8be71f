/** Organizations and their users, for whoever runs the server. */
import { invalidInput, MemoirError, notFound } from "../../shared/errors.ts";
import { defaultOrgId, defaultUserId } from "../../shared/ids.ts";
import type { Store } from "../../store/engine/store.ts";
import {
  deleteOrganization,
  deleteUser,
  findOrganization,
  findStoredUser,
  insertOrganization,
  insertUser,
  listOrganizations,
  listUsers,
  type Organization,
  renameTenant,
  type StoredUser,
  type TenantPage,
} from "../../store/system.ts";

export interface TenantService {
  listOrganizations(page: TenantPage): Promise<Organization[]>;
  createOrganization(name?: string): Promise<Organization>;
  renameOrganization(id: string, name: string): Promise<Organization>;
  getOrganization(id: string): Promise<Organization>;
  /** With everything it owns. The default one cannot go. */
  deleteOrganization(id: string): Promise<Organization>;
  listUsers(page: TenantPage): Promise<StoredUser[]>;
  /** Of the default organization, unless another is named. */
  createUser(user: { readonly name: string; readonly orgId?: string }): Promise<StoredUser>;
  renameUser(id: string, name: string): Promise<StoredUser>;
  getUser(id: string): Promise<StoredUser>;
  /** With the user's keys; what the user made stays. The default one cannot go. */
  deleteUser(id: string): Promise<StoredUser>;
}

/** `seedTools` gives a new organization the tools that come with the program, and its first user makes them theirs. */
export function createTenantService(store: Store, seedTools: () => Promise<void>): TenantService {
  const getOrganization = async (id: string) => (await findOrganization(store, id)) ?? missing("organization", id);
  const getUser = async (id: string) => (await findStoredUser(store, id)) ?? missing("user", id);
  return {
    listOrganizations: async (page) => {
      if (page.after !== undefined) await getOrganization(page.after);
      return await listOrganizations(store, page);
    },
    createOrganization: async (name) => {
      const id = store.newId("org");
      const organization = { id, name: checkName(name ?? `organization ${id.slice(-8)}`), createdAt: store.now() };
      await insertOrganization(store, organization);
      await seedTools();
      return organization;
    },
    renameOrganization: async (id, name) => {
      await getOrganization(id);
      await renameTenant(store, "organization", id, checkName(name));
      return await getOrganization(id);
    },
    getOrganization,
    deleteOrganization: async (id) => {
      const organization = await getOrganization(id);
      if (id === defaultOrgId) throw rejectDefault("organization", id);
      await deleteOrganization(store, id);
      return organization;
    },
    listUsers: async (page) => {
      if (page.after !== undefined) await getUser(page.after);
      return await listUsers(store, page);
    },
    createUser: async ({ name, orgId = defaultOrgId }) => {
      await getOrganization(orgId);
      const at = store.now();
      const user = { id: store.newId("user"), orgId, name: checkName(name), createdAt: at, updatedAt: at };
      await insertUser(store, user);
      await seedTools();
      return user;
    },
    renameUser: async (id, name) => {
      await getUser(id);
      await renameTenant(store, "user", id, checkName(name));
      return await getUser(id);
    },
    getUser,
    deleteUser: async (id) => {
      const user = await getUser(id);
      if (id === defaultUserId) throw rejectDefault("user", id);
      await deleteUser(store, id);
      return user;
    },
  };
}

function missing(entity: string, id: string): never {
  throw notFound(entity, id);
}

function checkName(name: string): string {
  if (name.trim() === "") throw invalidInput("name", "a name is needed");
  return name;
}

function rejectDefault(entity: string, id: string): MemoirError {
  return new MemoirError("conflict", `the default ${entity} acts where nobody logs in: it cannot be deleted`, {
    details: { entity, id },
  });
}
