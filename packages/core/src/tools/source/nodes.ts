/** Small questions to a syntax tree. */
import type { Node } from "./grammars.ts";

export const lineOf = (node: Node): number => node.startPosition.row + 1;

/** Without comments, which may stand anywhere. */
export const partsOf = (node: Node): Node[] => node.namedChildren.filter((child) => child.type !== "comment");

export const firstPart = (node: Node): Node | undefined => partsOf(node)[0];

export const field = (node: Node, name: string): Node | undefined => node.childForFieldName(name) ?? undefined;

/** On one line, and no longer than fits into an error. */
export const shorten = (text: string): string => {
  const line = text.replaceAll(/\s+/g, " ").trim();
  return line.length > 80 ? `${line.slice(0, 80)}…` : line;
};

/** The first place that the grammar could not make sense of, but for those that are forgiven. */
export function findFault(root: Node, isForgiven: (fault: Node) => boolean = () => false): Node | undefined {
  const waiting = [root];
  for (let node = waiting.pop(); node; node = waiting.pop()) {
    if (node.isError || node.isMissing) {
      if (!isForgiven(node)) return node;
    } else if (node.hasError) {
      for (const child of node.children.reverse()) if (child.hasError || child.isMissing) waiting.push(child);
    }
  }
  return undefined;
}
