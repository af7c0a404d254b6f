// A buffer that callers use again and again. Allocating a new buffer each time would cost more than the work done with
// it.

/**
 * Returns a buffer of at least `bytes`, the same one while it is large enough. The previous user must have finished
 * with it.
 */
export type ReusedBuffer = (bytes: number) => Buffer;

const reusedBytes = 2 * 1024 * 1024;

/** Buffers larger than 2 MiB are not reused. */
export function createReusedBuffer(): ReusedBuffer {
  let reused: Buffer | undefined;
  return (bytes) =>
    bytes > reusedBytes ? Buffer.allocUnsafeSlow(bytes) : (reused ??= Buffer.allocUnsafeSlow(reusedBytes));
}
