/** Signs requests with AWS Signature Version 4, by the signer of AWS's own SDK, which is loaded with the first request. */
import { nowMs } from "../../ground/clock.ts";
import type { AwsSigner } from "./authorization.ts";

export interface UnsignedRequest {
  method: string;
  /** Host, with the port unless it is the default one. */
  host: string;
  /** Path with the query. */
  path: string;
  /** Name and value in turn. */
  headers: readonly string[];
  body?: string | Uint8Array | undefined;
}

type SignedRequest = Pick<UnsignedRequest, "path" | "headers">;

/** A request that cannot be signed, because of what the caller sent. */
export class UnsignableRequest extends Error {
  override name = "UnsignableRequest";
}

/**
 * Returns path and headers to send. Path and query are written as AWS writes them, so that there is only one way to read what
 * was signed. The caller's own parts of a signature are left out.
 */
export async function signRequest(
  signer: AwsSigner,
  { method, host, path, headers, body }: UnsignedRequest,
  atMs: () => number = nowMs,
): Promise<SignedRequest> {
  const mark = path.indexOf("?");
  const escaped = escapePath(mark === -1 ? path : path.slice(0, mark));
  const parameters = mark === -1 ? [] : readQuery(path.slice(mark + 1));
  const sent = withoutSignature(headers);
  const { service, region, ...credentials } = signer;
  const isS3 = service === "s3";
  // A slash in an object's key is not encoded in what is signed (Amazon S3 API Reference, Signature Calculations for the
  // Authorization Header, `UriEncode`); encoded or not, it is the same key.
  const plainPath = isS3 ? escaped.replaceAll("%2F", "/") : escaped;
  const { SignatureV4, Sha256 } = await loadSigner();
  const { headers: signed } = await new SignatureV4({
    service,
    region,
    credentials,
    sha256: Sha256,
    // S3 signs the path as it is, and requires the digest of the body as a header.
    uriEscapePath: !isS3,
    applyChecksum: isS3,
  }).sign(
    {
      method,
      protocol: "https:",
      hostname: host,
      path: plainPath,
      query: groupByName(parameters),
      headers: { host, ...pickHeadersToSign(sent) },
      body,
    },
    { signingDate: new Date(atMs()) },
  );
  for (const name of ["x-amz-content-sha256", "x-amz-date", "authorization"])
    if (signed[name] !== undefined) sent.push(name, signed[name]);
  return { path: plainPath + queryText(parameters), headers: sent };
}

/** Loads the signer on demand: 13 MB of code that most servers never use. */
async function loadSigner() {
  const [{ SignatureV4 }, { Sha256 }] = await Promise.all([
    import("@smithy/signature-v4"),
    import("@smithy/core/checksum"),
  ]);
  return { SignatureV4, Sha256 };
}

/** Parts of signatures, which only Busbar sets. */
const OWN_HEADERS = new Set([
  "authorization",
  "date",
  "x-amz-content-sha256",
  "x-amz-date",
  "x-amz-s3session-token",
  "x-amz-security-token",
]);
const OWN_PARAMETERS = new Set([
  "x-amz-algorithm",
  "x-amz-credential",
  "x-amz-date",
  "x-amz-expires",
  "x-amz-security-token",
  "x-amz-signature",
  "x-amz-signedheaders",
]);

function withoutSignature(headers: readonly string[]): string[] {
  const kept: string[] = [];
  for (let at = 0; at < headers.length; at += 2) {
    const [name = "", value = ""] = headers.slice(at, at + 2);
    const lower = name.toLowerCase();
    if (lower === "content-encoding" && /\baws-chunked\b/i.test(value)) {
      const message =
        "A body in chunks that carry signatures (`Content-Encoding: aws-chunked`) cannot be signed again. Send the body as it is.";
      throw new UnsignableRequest(message);
    }
    // Servers behind CGI take `x_amz_date` for `X-Amz-Date`.
    if (!OWN_HEADERS.has(lower.replaceAll("_", "-"))) kept.push(name, value);
  }
  return kept;
}

/** Returns the headers that AWS requires in a signature. Others may be changed by servers in between. */
function pickHeadersToSign(headers: string[]): Record<string, string> {
  const chosen: Record<string, string> = {};
  for (let at = 0; at < headers.length; at += 2) {
    const name = (headers[at] ?? "").toLowerCase();
    if (name !== "content-type" && !name.startsWith("x-amz-")) continue;
    const value = (headers[at + 1] ?? "").trim();
    chosen[name] = chosen[name] === undefined ? value : `${chosen[name]},${value}`;
  }
  return chosen;
}

/** Encodes all but unreserved characters, each once; `%2F` stays. One character stands for one byte. */
const escapePath = (path: string): string =>
  path
    .split("/")
    .map((segment) => unescapePercent(segment).replaceAll(/[^A-Za-z0-9._~-]/g, toHex))
    .join("/");

const unescapePercent = (text: string): string =>
  text.replaceAll(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCodePoint(Number.parseInt(hex, 16)));

const toHex = (character: string): string =>
  `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`;

type Parameter = [name: string, value: string | undefined];

function readQuery(query: string): Parameter[] {
  return query.split("&").flatMap((pair): Parameter[] => {
    if (pair === "") return [];
    const equals = pair.indexOf("=");
    const name = toText(equals === -1 ? pair : pair.slice(0, equals));
    if (OWN_PARAMETERS.has(name.toLowerCase())) return [];
    return [[name, equals === -1 ? undefined : toText(pair.slice(equals + 1))]];
  });
}

/** Decodes a name or value; `+` is a blank, as in the SDKs for other languages. */
function toText(part: string): string {
  try {
    return UTF8.decode(Buffer.from(unescapePercent(part.replaceAll("+", " ")), "latin1"));
  } catch {
    throw new UnsignableRequest("A query must be UTF-8, in percent encoding, to be signed.");
  }
}

const UTF8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

const encodeText = (text: string): string =>
  encodeURIComponent(text).replaceAll(/[!'()*]/g, (character) => toHex(character));

const queryText = (parameters: Parameter[]): string =>
  parameters.length === 0
    ? ""
    : `?${parameters
        .map(([name, value]) =>
          value === undefined ? encodeText(name) : `${encodeText(name)}=${encodeText(value)}`,
        )
        .join("&")}`;

function groupByName(parameters: Parameter[]): Record<string, string[]> {
  const names = Map.groupBy(parameters, ([name]) => name);
  return Object.fromEntries([...names].map(([name, list]) => [name, list.map(([, value]) => value ?? "")]));
}
