/** The text anywhere, for `like … escape '\'`: wildcards in it are taken literally. */
export function likePattern(text: string): string {
  return `%${text.replaceAll(/[\\%_]/g, "\\$&")}%`;
}
