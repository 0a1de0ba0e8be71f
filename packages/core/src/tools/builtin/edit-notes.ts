/** What holds for every tool that edits memory blocks, said once so that all of them say the same. */

import { prose } from "../../memory/prompts/prose.ts";

/** Edits are stored at once; the prompt is only compiled between turns. No tool may claim otherwise. */
export const editTiming = prose(`
  The edit is saved immediately, but the copy of the block in your prompt is only renewed for your next turn. Until
  then go by the returned text.
`);

export const editRefusals = prose(`
  Refused, with the block left as it was: an unknown label, a block marked read_only, and a result longer than the
  block's limit.
`);

/** Some prompts show block lines behind numbers; a model that copies them would write them into its memory. */
export const displayNumbers = prose(`
  Some prompts show the lines of a block with a number and an arrow in front (12→ for instance). Those are counting
  aids and not part of the block: never write them, calls that contain them are refused.
`);
