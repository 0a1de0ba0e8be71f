import { prose } from "../../memory/prompts/prose.ts";
import { defineTool } from "./builtin-tool.ts";
import { integer, object, optional, text } from "./input.ts";

export const grepFiles = defineTool({
  name: "grep_files",
  kind: "files",
  description: prose(`
    Find exact text in your attached files by regular expression. Right for names, numbers, error codes and set phrases;
    if you only know what a passage is about, use semantic_search_files. Upper and lower case count as the same.

    Returns a report with the number of hits per file and then each hit with its file, line number and surrounding
    lines, the hit itself marked by >. It shows 20 hits and gives the offset for the next page. Very large files are
    skipped. Hits are often enough to answer; open the file around a hit when they are not.
  `),
  input: object({
    pattern: text(`
      The regular expression, at most 1000 characters. ^ and $ match at the ends of lines. Escape characters such as
      . ( [ to mean them literally.
    `),
    include: optional(
      text(`
        Restricts the search to files whose name fits this glob or regular expression, for instance *.md. Leave out to
        search all attached files.
      `),
    ),
    context_lines: optional(
      integer("Lines of surroundings on either side of a hit; 1 when left out, 0 for the hit alone."),
    ),
    offset: optional(
      integer(`
        Hits to skip, for paging: pass the value the previous page named. Leave out for the first page.
      `),
    ),
  }),
  isParallel: true,
  run: "not-yet",
});
