/**
 * Emulates descriptor 3 with a file, for sandboxes that only offer a command and its output. The file is opened for
 * reading and writing: the runner's greeting overwrites the bytes reserved for it, and the answer follows the request.
 */
const greeting = "ready\n";

export function composeChannel(token: string, request: object): string {
  return `${greeting}${token}\n${JSON.stringify(request)}\n`;
}

/** Extracts the answer from the file's contents; lines without the token come from the tool and are ignored. */
export function readChannel(token: string, text: string): string | undefined {
  return text
    .split("\n")
    .find((line) => line.startsWith(`${token} `))
    ?.slice(token.length + 1);
}
