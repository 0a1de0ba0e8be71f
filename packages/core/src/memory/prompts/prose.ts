/**
 * Long texts for models are written here in wrapped, indented lines so that they can be read and changed in the source.
 * The model gets whole paragraphs: a single line break becomes a space, while blank lines, list items, headings and
 * lines that open with or follow a tag keep theirs.
 */
export function prose(text: string): string {
  return text
    .trim()
    .replace(/^[ \t]+/gm, "")
    .replace(/(?<![\n>])\n(?![\n<#]|- )/g, " ");
}
