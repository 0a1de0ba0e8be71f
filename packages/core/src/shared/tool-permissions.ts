/** Which of the tools it holds an agent may call. Without permissions it may call them all. */
export interface ToolSelection {
  readonly names: readonly string[];
  readonly tags: readonly string[];
  readonly kinds: readonly string[];
}

export interface ToolPermissions {
  /** Only what it names may be called, even if that is nothing; null for everything. */
  readonly allow: ToolSelection | null;
  /** Wins over what is allowed. */
  readonly deny: ToolSelection;
}

interface Selectable {
  readonly name: string;
  readonly kind: string;
  readonly tags: readonly string[];
}

export function isPermitted(permissions: ToolPermissions | null, tool: Selectable): boolean {
  if (permissions === null) return true;
  const { allow, deny } = permissions;
  return !isSelected(deny, tool) && (allow === null || isSelected(allow, tool));
}

function isSelected({ names, tags, kinds }: ToolSelection, tool: Selectable): boolean {
  return names.includes(tool.name) || kinds.includes(tool.kind) || tool.tags.some((tag) => tags.includes(tag));
}

/** What is said of a tool goes on to be said of it under its new name. */
export function renameInPermissions(permissions: ToolPermissions, from: string, to: string): ToolPermissions {
  const rename = (selection: ToolSelection) => ({
    ...selection,
    names: selection.names.map((name) => (name === from ? to : name)),
  });
  return { allow: permissions.allow && rename(permissions.allow), deny: rename(permissions.deny) };
}

/** Permissions that forbid nothing are none. */
export function tidyPermissions({ allow, deny }: ToolPermissions): ToolPermissions | null {
  const isOpen = allow === null && [deny.names, deny.tags, deny.kinds].every((list) => list.length === 0);
  return isOpen ? null : { allow, deny };
}
