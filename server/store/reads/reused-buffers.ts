/** Reuses buffers: a new one for each statement, of this size, would make the memory of the process grow. */

/** Limits of what is kept: larger or more buffers are rare. */
const MAX_BYTES = 2 * 1_024 * 1_024;
const MAX_KEPT = 4;

export class ReusedBuffers {
  readonly #kept: Buffer[] = [];

  /** Returns a buffer of this size with undefined content. */
  take(sizeBytes: number): Buffer {
    if (sizeBytes === 0 || sizeBytes > MAX_BYTES) return Buffer.allocUnsafe(sizeBytes);
    const kept = this.#kept.pop() ?? Buffer.allocUnsafe(MAX_BYTES);
    return kept.subarray(0, sizeBytes);
  }

  /** Accepts a buffer for reuse that nothing reads any longer. A buffer that is not returned is garbage-collected. */
  giveBack({ buffer, byteOffset }: Buffer): void {
    if (buffer.byteLength !== MAX_BYTES || byteOffset !== 0 || this.#kept.length === MAX_KEPT) return;
    this.#kept.push(Buffer.from(buffer));
  }
}
