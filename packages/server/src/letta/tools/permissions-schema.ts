/** Which of its tools an agent may call, on the wire: a field of agents that only Memoir has. */
import { z } from "zod";
import { optional, wireList, wireName } from "../shared/fields.ts";
import { toolTypes } from "./schema.ts";

/** REST tools are shown as `custom`, and can be told apart here. */
export const permissionTypes = [...toolTypes, "rest"] as const;

export type PermissionType = (typeof permissionTypes)[number];

export interface ToolSelectionWire {
  names: string[];
  tags: string[];
  types: PermissionType[];
}

/** What is left out is empty. */
export type ToolSelectionInput = Partial<ToolSelectionWire>;

export interface ToolPermissionsWire {
  allow: ToolSelectionWire | null;
  deny: ToolSelectionWire;
}

export interface ToolPermissionsInput {
  allow?: ToolSelectionInput;
  deny?: ToolSelectionInput;
}

const Selection = z.strictObject({
  names: z.array(z.string()),
  tags: z.array(z.string()),
  types: z.array(z.enum(permissionTypes)),
});

export const ToolPermissionsWire: z.ZodType<ToolPermissionsWire> = z
  .strictObject({ allow: Selection.nullable(), deny: Selection })
  .meta({ id: "ToolPermissions" });

const SelectionInput: z.ZodType<ToolSelectionInput> = z.strictObject({
  names: optional(wireList(wireName)),
  tags: optional(wireList(wireName)),
  types: optional(wireList(z.enum(permissionTypes))),
});

/** Misspelt lists are refused: one that is not read would forbid nothing. */
export const ToolPermissionsInput: z.ZodType<ToolPermissionsInput> = z
  .strictObject({ allow: optional(SelectionInput), deny: optional(SelectionInput) })
  .meta({ id: "ToolPermissionsRequest" });
