/** Decodes Avro values. Longs are BigInts, so that no digit is lost; records keep their type, for maps of bits over it. */
import type { AvroRecordType, AvroType } from "./avro-schema.ts";

export type AvroValue =
  | null
  | boolean
  | number
  | bigint
  | string
  | Buffer
  | AvroValue[]
  | Map<string, AvroValue>
  | AvroRecord;

export interface AvroRecord {
  type: AvroRecordType;
  /** Values in the order of the type's fields. */
  values: AvroValue[];
}

const DEEPEST = 64;
/** Items of all arrays and maps of a value; those without a size could be any number. */
const MAX_ITEMS = 1_000_000;

/** Throws `RangeError` for bytes that are no value of the type. */
export function decodeAvro(type: AvroType, bytes: Buffer): AvroValue {
  return new Decoder(bytes).read(type, 0);
}

export const isAvroRecord = (value: AvroValue | undefined): value is AvroRecord =>
  typeof value === "object" &&
  value !== null &&
  !Array.isArray(value) &&
  !Buffer.isBuffer(value) &&
  !(value instanceof Map);

class Decoder {
  readonly #bytes: Buffer;
  #at = 0;
  #count = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  read(type: AvroType, depth: number): AvroValue {
    if (depth > DEEPEST) throw new RangeError("the Avro value is nested too deeply");
    switch (type.kind) {
      case "null":
        return null;
      case "boolean":
        return this.#take(1)[0] === 1;
      case "int":
        return Number(this.#long());
      case "long":
        return this.#long();
      case "float":
        return this.#take(4).readFloatLE();
      case "double":
        return this.#take(8).readDoubleLE();
      case "bytes":
        return Buffer.from(this.#take(this.#length()));
      case "fixed":
        return Buffer.from(this.#take(type.size));
      case "string":
        return this.#take(this.#length()).toString("utf8");
      case "enum":
        return this.#pickOne(type.symbols, "symbol");
      case "union":
        return this.read(this.#pickOne(type.branches, "branch"), depth + 1);
      case "array":
        return this.#items(() => this.read(type.items, depth + 1));
      case "map":
        return new Map(
          this.#items(() => [this.#take(this.#length()).toString("utf8"), this.read(type.items, depth + 1)]),
        );
      case "record":
        return { type, values: type.fields.map((field) => this.read(field.type, depth + 1)) };
    }
  }

  #pickOne<Item>(items: readonly Item[], what: string): Item {
    const index = Number(this.#long());
    const item = items[index];
    if (item === undefined) throw new RangeError(`the Avro value has ${what} ${index}, which the type lacks`);
    return item;
  }

  /** Blocks of items; a negative count is followed by the block's size. */
  #items<Item>(read: () => Item): Item[] {
    const items: Item[] = [];
    for (let count = Number(this.#long()); count !== 0; count = Number(this.#long())) {
      if (count < 0) this.#long();
      for (let left = Math.abs(count); left > 0; left--) {
        if (++this.#count > MAX_ITEMS) throw new RangeError("an Avro value has too many items");
        items.push(read());
      }
    }
    return items;
  }

  #length(): number {
    const length = Number(this.#long());
    if (length < 0) throw new RangeError("an Avro length is negative");
    return length;
  }

  /** A zigzag number of at most ten bytes. */
  #long(): bigint {
    let value = 0n;
    for (let place = 0n; place < 10n; place++) {
      const byte = this.#bytes[this.#at++];
      if (byte === undefined) break;
      value |= BigInt(byte & 0x7f) << (7n * place);
      if (byte < 0x80) return BigInt.asIntN(64, (value >> 1n) ^ -(value & 1n));
    }
    throw new RangeError("a number of the Avro value does not end");
  }

  #take(length: number): Buffer {
    const end = this.#at + length;
    if (end > this.#bytes.length) throw new RangeError("the Avro value is cut off");
    const taken = this.#bytes.subarray(this.#at, end);
    this.#at = end;
    return taken;
  }
}
