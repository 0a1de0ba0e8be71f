/** Reading the files of attached folders. Attached by themselves as soon as an agent has a folder. */

import { prose } from "../../memory/prompts/prose.ts";
import { type BuiltinTool, flag, integer, listOf, object, text } from "./builtin-tool.ts";

const openFiles: BuiltinTool = {
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
  parameters: object(
    {
      file_requests: listOf(
        object(
          {
            file_name: text("Name of the file as listed in your prompt, folder included."),
            offset: integer(`
              How many lines to skip: 0, or leaving it out, begins at the first line, 99 at the hundredth.
            `),
            length: integer("How many lines to show, at least 1. Leave out to go on to the end of the file."),
          },
          ["file_name"],
        ),
        "The files to open, at least one. For long files name a range: a view that is too long is cut.",
      ),
      close_all_others: flag(`
        True closes every open file that is not in this request, which frees room in your prompt. False when left out.
      `),
    },
    ["file_requests"],
  ),
  isParallel: false,
};

const grepFiles: BuiltinTool = {
  name: "grep_files",
  kind: "files",
  description: prose(`
    Find exact text in your attached files by regular expression. Right for names, numbers, error codes and set phrases;
    if you only know what a passage is about, use semantic_search_files. Upper and lower case count as the same.

    Returns a report with the number of hits per file and then each hit with its file, line number and surrounding
    lines, the hit itself marked by >. It shows 20 hits and gives the offset for the next page. Very large files are
    skipped. Hits are often enough to answer; open the file around a hit when they are not.
  `),
  parameters: object(
    {
      pattern: text(`
        The regular expression, at most 1000 characters. ^ and $ match at the ends of lines. Escape characters such as
        . ( [ to mean them literally.
      `),
      include: text(`
        Restricts the search to files whose name fits this glob or regular expression, for instance *.md. Leave out to
        search all attached files.
      `),
      context_lines: integer("Lines of surroundings on either side of a hit; 1 when left out, 0 for the hit alone."),
      offset: integer(`
        Hits to skip, for paging: pass the value the previous page named. Leave out for the first page.
      `),
    },
    ["pattern"],
  ),
  isParallel: true,
};

const semanticSearchFiles: BuiltinTool = {
  name: "semantic_search_files",
  kind: "files",
  description: prose(`
    Find passages in your attached files by what they are about, even if they use other words. A good first step with
    material you do not know; for a known name or number grep_files is more exact.

    Returns the closest passages, grouped by file and shortened to their opening lines. Some passage is always the
    closest, so judge whether it answers the question, and open the file there to read on.
  `),
  parameters: object(
    {
      query: text("What the passage should be about: a question or a descriptive sentence, one subject at a time."),
      limit: integer("Most passages to return: 5 when left out, 50 at the highest."),
    },
    ["query"],
  ),
  isParallel: true,
};

export const fileTools: readonly BuiltinTool[] = [openFiles, grepFiles, semanticSearchFiles];
