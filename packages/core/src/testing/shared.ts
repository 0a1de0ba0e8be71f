/**
 * The folder `../shared` beside a developer's checkout holds traffic, agent files and examples of the server that Memoir
 * succeeds. Comparisons with it skip by name where it is not. With CI=true that fails, unless MEMOIR_TEST_WITHOUT_SHARED
 * declares that it is absent.
 */
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";

const folder = resolve(import.meta.dirname, "../../../../../shared/fixtures");

export const needsShared = "needs ../shared beside the checkout";
export const isSharedDeclaredAbsent = Boolean(process.env.MEMOIR_TEST_WITHOUT_SHARED);
export const hasShared = existsSync(folder) && !isSharedDeclaredAbsent;
export const sharedPath = (...names: readonly string[]): string => join(folder, ...names);
