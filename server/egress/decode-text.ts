/** Reads the text of an answer in the character set that the answer names. */
import { isUtf8 } from "node:buffer";
import { StringDecoder } from "node:string_decoder";

/** Returns the text without a byte order mark; for a large one this takes less memory than to decode it whole. */
export function decodeText(chunks: Buffer[], contentType = ""): string {
  const label = findSet(contentType, chunks[0]);
  const other = label === undefined ? undefined : decodeAs(label, Buffer.concat(chunks));
  if (other !== undefined) return other;
  const decoder = new StringDecoder("utf8");
  const text = chunks.map((chunk) => decoder.write(chunk)).join("") + decoder.end();
  return text.startsWith("\uFEFF") ? text.slice(1) : text;
}

/** Returns the name of another set than UTF-8; undefined for UTF-8. */
function findSet(contentType: string, [first, second]: Buffer = Buffer.alloc(0)): string | undefined {
  if (first === 0xff && second === 0xfe) return "utf-16le";
  if (first === 0xfe && second === 0xff) return "utf-16be";
  const label = /;\s*charset\s*=\s*"?([^\s";]+)/i.exec(contentType)?.[1]?.toLowerCase();
  return label === "utf-8" || label === "utf8" ? undefined : label;
}

/**
 * Returns undefined for a set that is not known, and for UTF-8 under another name: JSON is UTF-8 (RFC 8259, 8.1), and servers name another set by
 * an old default. Text of other sets that is more than ASCII is hardly ever UTF-8 by chance, but for some characters; that of UTF-16 is.
 */
function decodeAs(label: string, bytes: Buffer): string | undefined {
  if (!label.startsWith("utf-16") && (isUtf8(bytes) || isMostlyUtf8(bytes))) return undefined;
  try {
    return new TextDecoder(label).decode(bytes);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** Returns whether more characters beyond ASCII are UTF-8 than are not: a value that was cut, or broken when it was stored, makes no other set. */
function isMostlyUtf8(bytes: Buffer): boolean {
  let [right, wrong] = [0, 0];
  for (const [character] of bytes.toString().matchAll(/[\u0080-\uffff]/gu))
    if (character === "\ufffd") wrong += 1;
    else right += 1;
  return right > wrong;
}
