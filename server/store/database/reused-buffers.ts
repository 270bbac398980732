/** Buffers that are used again: a new one of this size for each statement would let the memory of the process grow. */

/** Larger ones, and more of them, are rare and not kept. */
const MAX_BYTES = 2 * 1_024 * 1_024;
const MAX_KEPT = 4;

export class ReusedBuffers {
  readonly #kept: Buffer[] = [];

  /** Returns a buffer of this size, whose content is undefined. */
  take(sizeBytes: number): Buffer {
    if (sizeBytes === 0 || sizeBytes > MAX_BYTES) return Buffer.allocUnsafe(sizeBytes);
    const kept = this.#kept.pop() ?? Buffer.allocUnsafe(MAX_BYTES);
    return kept.subarray(0, sizeBytes);
  }

  /** Takes a buffer back that nothing reads any more. One that is not given back is collected like others. */
  giveBack({ buffer, byteOffset }: Buffer): void {
    if (buffer.byteLength !== MAX_BYTES || byteOffset !== 0 || this.#kept.length === MAX_KEPT) return;
    this.#kept.push(Buffer.from(buffer));
  }
}
