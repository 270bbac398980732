/** Reads the bitmaps in which Salesforce's change events name changed fields. Pure. */
import type { AvroRecordType, AvroType } from "../../connector-kit/avro/avro-schema.ts";

/** `0x…`: bits over the fields of the event; `4-0x…`: bits over the parts of field 4. The lowest bit is the first field. */
const FORM = /^(?:(\d{1,5})-)?0x([0-9a-f]{1,4096})$/i;

/**
 * Returns the names that the bitmaps stand for, in the order of the schema; parts of a compound field as
 * `BillingAddress.City`. The compound itself is left out where its parts are named. Bits beyond the schema are ignored.
 */
export function decodeChangedFields(event: AvroRecordType, bitmaps: readonly string[]): string[] {
  const names = new Map<number, string[]>();
  for (const bitmap of bitmaps) {
    const [, parent, hex] = FORM.exec(bitmap) ?? [];
    if (hex === undefined) continue;
    if (parent === undefined) {
      for (const bit of listBits(hex)) {
        const field = event.fields[bit];
        if (field && !names.has(bit)) names.set(bit, [field.name]);
      }
      continue;
    }
    const field = event.fields[Number(parent)];
    const parts = field && recordIn(field.type)?.fields;
    const changed = parts ? listBits(hex).flatMap((bit) => parts[bit]?.name ?? []) : [];
    if (field && changed.length > 0)
      names.set(
        Number(parent),
        changed.map((name) => `${field.name}.${name}`),
      );
  }
  return [...names].toSorted(([left], [right]) => left - right).flatMap(([, some]) => some);
}

/** Returns the record of a nullable compound field. */
function recordIn(type: AvroType): AvroRecordType | undefined {
  if (type.kind === "record") return type;
  return type.kind === "union" ? type.branches.find((branch) => branch.kind === "record") : undefined;
}

function listBits(hex: string): number[] {
  const bits: number[] = [];
  for (let place = 0; place < hex.length; place++) {
    const digit = Number.parseInt(hex.charAt(hex.length - 1 - place), 16);
    for (let bit = 0; bit < 4; bit++) if (digit & (1 << bit)) bits.push(4 * place + bit);
  }
  return bits;
}
