/** Lines of a body that arrives in chunks. They end in LF, CR or CRLF, which may be split between two chunks. */

export interface LinePiece {
  readonly bytes: Uint8Array;
  /** Whether the line ends here; the rest of the line follows in the next chunk otherwise. */
  readonly isEnd: boolean;
}

const lineFeed = 10;
const carriageReturn = 13;

/** The function that is returned reads one chunk after another; the pieces of a chunk have to be read to the end. */
export function createLineSplitter(): (chunk: Uint8Array) => Generator<LinePiece> {
  let isAfterReturn = false;
  return function* split(chunk) {
    let start = 0;
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at];
      const isFeedOfReturn = byte === lineFeed && isAfterReturn;
      isAfterReturn = byte === carriageReturn;
      if (byte !== lineFeed && byte !== carriageReturn) continue;
      if (!isFeedOfReturn) yield { bytes: chunk.subarray(start, at), isEnd: true };
      start = at + 1;
    }
    if (start < chunk.length) yield { bytes: chunk.subarray(start), isEnd: false };
  };
}
