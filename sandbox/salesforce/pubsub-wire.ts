// Protobuf messages and gRPC frames, as far as the simulated Pub/Sub API needs them.

export type Fields = Map<number, (number | Buffer)[]>;

export function decode(bytes: Buffer): Fields {
  const fields: Fields = new Map();
  let at = 0;
  const varint = (): number => {
    let value = 0;
    for (let place = 0; place < 10; place++) {
      const byte = bytes[at++];
      if (byte === undefined) throw new RangeError("cut off");
      value += (byte & 0x7f) * 2 ** (7 * place);
      if (byte < 0x80) return value;
    }
    throw new RangeError("too long");
  };
  while (at < bytes.length) {
    const tag = varint();
    const type = tag % 8;
    if (type !== 0 && type !== 2) throw new RangeError(`wire type ${type}`);
    const first = varint();
    const value = type === 0 ? first : bytes.subarray(at, at + first);
    if (type === 2) at += first;
    const number = Math.floor(tag / 8);
    fields.set(number, [...(fields.get(number) ?? []), value]);
  }
  return fields;
}

export function readBytes(fields: Fields, number: number): Buffer {
  const value = fields.get(number)?.at(-1);
  return Buffer.isBuffer(value) ? value : Buffer.alloc(0);
}

export function readNumber(fields: Fields, number: number): number {
  const value = fields.get(number)?.at(-1);
  // A negative int32 arrives as a 64-bit number.
  return typeof value === "number" ? (value >= 2 ** 63 ? value - 2 ** 64 : value) : 0;
}

/** Encodes a message without default values, like proto3. */
export function encode(fields: [number, string | Buffer | number | boolean][]): Buffer {
  const parts: Buffer[] = [];
  for (const [number, value] of fields) {
    if (typeof value === "number" || typeof value === "boolean") {
      if (Number(value) !== 0) parts.push(encodeVarint(number * 8), encodeVarint(Number(value)));
      continue;
    }
    const bytes = Buffer.from(value);
    if (bytes.length > 0) parts.push(encodeVarint(number * 8 + 2), encodeVarint(bytes.length), bytes);
  }
  return Buffer.concat(parts);
}

function encodeVarint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes.push((rest % 0x80) | 0x80);
  bytes.push(rest);
  return Buffer.from(bytes);
}

export function buildFrame(message: Buffer): Buffer {
  const prefix = Buffer.alloc(5);
  prefix.writeUInt32BE(message.length, 1);
  return Buffer.concat([prefix, message]);
}

/** Splits whole messages off, and returns them with the rest. */
export function unframe(bytes: Buffer): { messages: Buffer[]; rest: Buffer } {
  const messages: Buffer[] = [];
  let rest = bytes;
  while (rest.length >= 5 && rest.length >= 5 + rest.readUInt32BE(1)) {
    const end = 5 + rest.readUInt32BE(1);
    messages.push(rest.subarray(5, end));
    rest = rest.subarray(end);
  }
  return { messages, rest };
}
