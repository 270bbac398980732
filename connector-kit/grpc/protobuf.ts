/** Writes and reads protobuf messages without a schema: numbers, texts and bytes by the number of their field. */

export type ProtoField = string | Buffer | number;

/** The values of a message by field number, in the order in which they came. Varints are numbers, the rest is bytes. */
export type ProtoMessage = ReadonlyMap<number, readonly (number | Buffer)[]>;

const VARINT = 0;
const FIXED64 = 1;
const BYTES = 2;
const FIXED32 = 5;

/** Encodes a message. Fields with the default value are omitted, as in proto3. */
export function encodeMessage(fields: readonly (readonly [number, ProtoField | undefined])[]): Buffer {
  const parts: Buffer[] = [];
  for (const [number, value] of fields) {
    if (value === undefined || value === "" || value === 0) continue;
    if (typeof value === "number") parts.push(varint(number * 8 + VARINT), varint(value));
    else {
      const bytes = Buffer.from(value);
      parts.push(varint(number * 8 + BYTES), varint(bytes.length), bytes);
    }
  }
  return Buffer.concat(parts);
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes.push((rest % 0x80) | 0x80);
  bytes.push(rest);
  return Buffer.from(bytes);
}

/** Throws `RangeError` for what is no message. The bytes of the result belong to `bytes`. */
export function decodeMessage(bytes: Buffer): ProtoMessage {
  const fields = new Map<number, (number | Buffer)[]>();
  const reader = new Reader(bytes);
  while (!reader.isAtEnd) {
    const tag = reader.varint();
    const value = reader.value(tag % 8);
    const number = Math.floor(tag / 8);
    const values = fields.get(number);
    if (values) values.push(value);
    else fields.set(number, [value]);
  }
  return fields;
}

/** Returns the last value of a field of bytes; empty if it is absent. */
export function bytesAt(message: ProtoMessage, field: number): Buffer {
  const value = message.get(field)?.at(-1);
  return Buffer.isBuffer(value) ? value : Buffer.alloc(0);
}

/** Returns the last value of a number or a flag; 0 if it is absent. */
export function numberAt(message: ProtoMessage, field: number): number {
  const value = message.get(field)?.at(-1);
  return typeof value === "number" ? value : 0;
}

/** Returns the messages of a repeated field. */
export const messagesAt = (message: ProtoMessage, field: number): ProtoMessage[] =>
  (message.get(field) ?? []).flatMap((value) => (Buffer.isBuffer(value) ? [decodeMessage(value)] : []));

class Reader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#bytes.length;
  }

  /** Numbers above 2^53 lose digits; none of the fields that are used has any. */
  varint(): number {
    let value = 0;
    for (let place = 0; place < 10; place++) {
      const byte = this.#bytes[this.#at++];
      if (byte === undefined) break;
      value += (byte & 0x7f) * 2 ** (7 * place);
      if (byte < 0x80) return value;
    }
    throw new RangeError("a number of the protobuf message does not end");
  }

  value(wireType: number): number | Buffer {
    if (wireType === VARINT) return this.varint();
    if (wireType === BYTES) return this.#take(this.varint());
    if (wireType === FIXED64) return this.#take(8);
    if (wireType === FIXED32) return this.#take(4);
    throw new RangeError(`unknown wire type ${wireType} in a protobuf message`);
  }

  #take(length: number): Buffer {
    const end = this.#at + length;
    if (end > this.#bytes.length) throw new RangeError("the protobuf message is cut off");
    const taken = this.#bytes.subarray(this.#at, end);
    this.#at = end;
    return taken;
  }
}
