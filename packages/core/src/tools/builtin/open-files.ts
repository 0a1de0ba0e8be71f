import { prose } from "../../memory/prompts/prose.ts";
import { defineTool } from "./builtin-tool.ts";
import { flag, integer, listOf, object, optional, text } from "./input.ts";

export const openFiles = defineTool({
  name: "open_files",
  kind: "files",
  description: prose(`
    Bring files, or ranges of their lines, into the files section of your prompt, where they stay in view until closed
    or pushed out. Use it for text you will work with over several turns. To get at a passage at once, grep_files and
    semantic_search_files return text directly, while an opened file appears when your prompt is next renewed, at the
    latest for your next turn.

    Only so many files can be open at a time; the limit is shown in that section. Opening more closes the ones unused
    for longest, and asking for more than the limit in one call is an error. Opening an open file again moves its view.
    A file that is not attached to you is an error that lists those that are.

    Returns which files and lines were opened, what was in view before, and which files were closed. Numbers in
    front of the shown lines are not part of the file.
  `),
  input: object({
    file_requests: listOf(
      object({
        file_name: text("Name of the file as listed in your prompt, folder included."),
        offset: optional(
          integer(`
            How many lines to skip: 0, or leaving it out, begins at the first line, 99 at the hundredth.
          `),
        ),
        length: optional(integer("How many lines to show, at least 1. Leave out to go on to the end of the file.")),
      }),
      "The files to open, at least one. For long files name a range: a view that is too long is cut.",
    ),
    close_all_others: optional(
      flag(`
        True closes every open file that is not in this request, which frees room in your prompt. False when left out.
      `),
    ),
  }),
  run: "not-yet",
});
