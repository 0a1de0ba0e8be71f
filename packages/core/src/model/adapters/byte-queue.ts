/** Bytes that arrive in chunks and are read in pieces of other sizes. Each byte is copied a constant number of times. */
export interface ByteQueue {
  readonly length: number;
  add(bytes: Uint8Array): void;
  /** The next `size` bytes, which stay in the queue; valid until the next call. */
  peek(size: number): Buffer;
  /** The next `size` bytes, which leave the queue; valid until the next call. */
  take(size: number): Buffer;
}

export function createByteQueue(): ByteQueue {
  let space = Buffer.alloc(0);
  let start = 0;
  let end = 0;
  return {
    get length() {
      return end - start;
    },
    add(bytes) {
      if (end + bytes.length > space.length) {
        // Doubling leaves room for as many bytes as are copied here.
        const larger = Buffer.allocUnsafe(2 * (end - start + bytes.length));
        space.copy(larger, 0, start, end);
        [space, start, end] = [larger, 0, end - start];
      }
      space.set(bytes, end);
      end += bytes.length;
    },
    peek: (size) => space.subarray(start, start + size),
    take(size) {
      start += size;
      return space.subarray(start - size, start);
    },
  };
}
