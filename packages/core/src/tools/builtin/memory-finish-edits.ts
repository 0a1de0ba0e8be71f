import type { RunBuiltin } from "../tool.ts";

/** Edits were saved as they were made; that the turn ends here is a rule's doing. */
export const runMemoryFinishEdits: RunBuiltin = async () => null;
