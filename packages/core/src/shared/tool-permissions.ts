/** Which of its tools an agent may call; without permissions it may call all of them. */
export interface ToolSelection {
  readonly names: readonly string[];
  readonly tags: readonly string[];
  readonly kinds: readonly string[];
}

export interface ToolPermissions {
  /** Allow-list, which may be empty; null allows everything. */
  readonly allow: ToolSelection | null;
  /** Takes precedence over `allow`. */
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

/** Carries permissions over to the new name of a tool. */
export function renameInPermissions(permissions: ToolPermissions, from: string, to: string): ToolPermissions {
  const rename = (selection: ToolSelection) => ({
    ...selection,
    names: selection.names.map((name) => (name === from ? to : name)),
  });
  return { allow: permissions.allow && rename(permissions.allow), deny: rename(permissions.deny) };
}

/** Returns null for permissions that forbid nothing. */
export function tidyPermissions({ allow, deny }: ToolPermissions): ToolPermissions | null {
  const isOpen = allow === null && [deny.names, deny.tags, deny.kinds].every((list) => list.length === 0);
  return isOpen ? null : { allow, deny };
}
