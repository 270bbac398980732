/** Decompresses answers (RFC 9110, section 8.4), within the limit of their size. */
import { promisify } from "node:util";
import { brotliDecompress, gunzip, inflate, inflateRaw } from "node:zlib";
import { EgressError } from "./egress-error.ts";

/** What is asked for with `accept-encoding`. */
export const UNDERSTOOD = "gzip, deflate, br";

type Decoder = (data: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>;

const unzip: Decoder = promisify(gunzip);
const inflated: Decoder = promisify(inflate);
const inflatedRaw: Decoder = promisify(inflateRaw);

const DECODERS: Record<string, Decoder> = {
  gzip: (data, options) => (isGzip(data) ? unzip(data, options) : Promise.resolve(data)),
  "x-gzip": (data, options) => unzip(data, options),
  // RFC 9110 means zlib's format; some servers send the bare one.
  deflate: (data, options) => (isZlib(data) ? inflated(data, options) : inflatedRaw(data, options)),
  br: promisify(brotliDecompress),
};

/** Some servers name a compression that something on the way has undone. */
const isGzip = (data: Buffer): boolean => data[0] === 0x1f && data[1] === 0x8b;

const isZlib = (data: Buffer): boolean =>
  data.length > 1 && ((data[0] ?? 0) & 0x0f) === 8 && data.readUInt16BE(0) % 31 === 0;

interface Decoded {
  headers: Record<string, string>;
  chunks: Buffer[];
}

/**
 * Returns the answer without its compression and the header that names it. An encoding that is not understood stays. Throws `EgressError`
 * for a body that is cut or damaged, and for one that is too large.
 */
export async function decodeContent(
  headers: Record<string, string>,
  chunks: Buffer[],
  { maxBytes, host }: { maxBytes: number; host: string },
): Promise<Decoded> {
  const { "content-encoding": named = "", "content-length": _, ...others } = headers;
  const encodings = named
    .toLowerCase()
    .split(/[\s,]+/)
    .filter((name) => name !== "" && name !== "identity");
  const decoders = encodings.map((name) => (Object.hasOwn(DECODERS, name) ? DECODERS[name] : undefined));
  // Each layer could be a bomb of its own.
  if (encodings.length > MAX_LAYERS || decoders.includes(undefined)) return { headers, chunks };
  let body: Buffer = Buffer.concat(chunks);
  for (const decode of decoders.toReversed()) {
    if (body.length === 0 || !decode) break;
    body = await decode(body, { maxOutputLength: maxBytes }).catch((error: unknown) => {
      throw toError(error, maxBytes, host);
    });
  }
  return { headers: others, chunks: [body] };
}

const MAX_LAYERS = 2;

function toError(error: unknown, maxBytes: number, host: string): EgressError {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === "ERR_BUFFER_TOO_LARGE")
    return new EgressError("too-large", true, `${host} answered more than ${maxBytes} bytes`, error);
  return new EgressError(
    "broken",
    true,
    `the compressed answer of ${host} is cut or damaged: ${message}`,
    error,
  );
}
