/** Tool permissions between core and wire. Core goes by kinds, of which a type on the wire may stand for several. */
import type { ToolPermissions, ToolSelection } from "@memoir/core";
import { kindsOfToolType } from "./mapper.ts";
import type {
  PermissionType,
  ToolPermissionsInput,
  ToolPermissionsWire,
  ToolSelectionInput,
  ToolSelectionWire,
} from "./permissions-schema.ts";
import { type ToolType, toolTypes } from "./schema.ts";

const restKind = "rest";

export function fromToolPermissions({ allow, deny }: ToolPermissionsInput): ToolPermissions {
  return { allow: allow ? fromSelection(allow) : null, deny: fromSelection(deny ?? {}) };
}

/** Tools that come with the server are shown with their type as a tag, so it is taken for one. */
function fromSelection({ names = [], tags = [], types = [] }: ToolSelectionInput): ToolSelection {
  const shown = tags.filter(isOwnType);
  const kinds = [...types, ...shown].flatMap((type) => (type === restKind ? [restKind] : kindsOfToolType(type)));
  return { names, tags: tags.filter((tag) => !isOwnType(tag)), kinds: [...new Set(kinds)] };
}

function isOwnType(tag: string): tag is ToolType {
  return tag.startsWith("letta_") && toolTypes.includes(tag as ToolType);
}

export function toToolPermissionsWire({ allow, deny }: ToolPermissions): ToolPermissionsWire {
  return { allow: allow && toSelectionWire(allow), deny: toSelectionWire(deny) };
}

function toSelectionWire({ names, tags, kinds }: ToolSelection): ToolSelectionWire {
  const types: PermissionType[] = toolTypes.filter((type) => kinds.includes(kindsOfToolType(type)[0] ?? ""));
  if (kinds.includes(restKind) && !types.includes("custom")) types.push(restKind);
  return { names: [...names], tags: [...tags], types };
}
