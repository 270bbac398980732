/** Makes up requests and answers from a seed, each with what must arrive on the other side. */

export interface GeneratedCall {
  name: string;
  /** What the caller sends, and where it pauses between two writes. */
  request: Buffer[];
  /** The request line and the header lines that the provider must get, after `host` and `connection`. */
  expectedTarget: string;
  expectedLines: string[];
  expectedBody: Buffer;
  answer: GeneratedAnswer;
}

interface GeneratedAnswer {
  bytes: Buffer;
  startLine: string;
  /** Header lines that the caller must get, before those of its own connection. */
  expectedLines: string[];
  expectedBody: Buffer;
  hasDate: boolean;
  isChunked: boolean;
  endsConnection: boolean;
  hasBody: boolean;
}

/** Mulberry32: small, seeded, good enough to vary tests. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const METHODS =
  "GET GET HEAD POST POST PUT PATCH DELETE OPTIONS PROPFIND REPORT SEARCH QUERY PURGE MKCOL LOCK".split(" ");
const PATHS = [
  "/",
  "/v1/contacts",
  "/v1/contacts/a%2Fb/..%2f",
  "//double//slash",
  "/a;v=1/b,c/d:e@f",
  "/%zz/%",
  "/x/./y/../z",
  "/sp%20ace/+plus/~tilde/!$&'()*",
  '/"quoted"/<angle>/{brace}/[bracket]/|pipe|/^/`',
  "/back\\slash",
  "/very/".padEnd(900, "long/"),
];
const QUERIES = ["", "?", "?a=1&b=2", "?a=b=c&&&", "?q=%E4%BD%A0&r=[]{}", "?/?//??", "?x=a\\b&y=..%2F.."];
const NAMES =
  "Accept accept-LANGUAGE X-Custom x-custom Content-Type content-encoding If-None-Match Range User-Agent X_under.score~ Via DNT".split(
    " ",
  );
const STATUSES = [
  200, 200, 201, 202, 204, 206, 207, 301, 302, 304, 307, 400, 403, 404, 409, 418, 422, 429, 500, 503, 599,
];
const REASONS = ["OK", "", "Very  Fine, thank you", "caf\u00c3\u00a9", "Not-At_All (really)"];

export function generateCall(seed: number): GeneratedCall {
  const random = seeded(seed);
  const pick = <T>(list: readonly [T, ...T[]] | T[]): T => list[Math.floor(random() * list.length)] as T;
  const method = pick(METHODS);
  const target = pick(PATHS) + pick(QUERIES);
  const kept = headerLines(random, NAMES);
  const body = pick(["none", "none", "length", "length", "chunked", "large"]);
  const hop = pick([
    [],
    [],
    ["Connection: keep-alive"],
    ["Connection: X-Hop, keep-alive", "x-hop: secret", "Keep-Alive: 5"],
  ]);
  const dropped = pick([[], ["Authorization: Basic mine", "Cookie: a=b"], ["TE: gzip", "X-Amp-Anything: 1"]]);
  const asks = pick([[], [], ["TE: trailers"]]);
  const content = body === "none" ? Buffer.alloc(0) : randomBytes(random, body === "large" ? 150_000 : 5_000);
  const framing =
    body === "none"
      ? []
      : [body === "chunked" ? "Transfer-Encoding: chunked" : `Content-Length: ${content.length}`];
  const trailers = body === "chunked" ? generateTrailers(random, pick) : NO_TRAILERS;
  const passing = kept.sent;
  const lines = [...passing, ...asks, ...trailers.announced, ...hop, ...dropped, ...framing];
  const head = [
    `${method} ${target} HTTP/1.1`,
    "Host: proxy.test",
    ...pickOurs(random),
    ...shuffleIn(random, lines, passing),
  ];
  const bytes = Buffer.concat([
    Buffer.from(`${head.join("\r\n")}\r\n\r\n`, "latin1"),
    body === "chunked" ? cutIntoChunks(random, content, trailers.sent) : content,
  ]);
  const end =
    content.length === 0
      ? /^(PUT|POST|PATCH|QUERY|PROPFIND|PROPPATCH)$/.test(method)
        ? ["content-length: 0"]
        : []
      : [body === "chunked" ? "transfer-encoding: chunked" : `content-length: ${content.length}`];
  return {
    name: `seed ${seed}: ${method} ${target.slice(0, 40)} body ${body}`,
    request: split(random, bytes),
    expectedTarget: `${method} ${target} HTTP/1.1`,
    expectedLines: [...kept.expected, "Authorization: Bearer provider-token", ...end],
    expectedBody: content,
    answer: generateAnswer(random, method, pick),
  };
}

interface Trailers {
  announced: string[];
  sent: string[];
}

const NO_TRAILERS: Trailers = { announced: [], sent: [] };
const TRAILER_NAMES = ["X-Sum", "x-SUM", "Server-Timing", "Digest"];

/** Announced or not, the proxy drops them. */
function generateTrailers(random: () => number, pick: <T>(list: T[]) => T): Trailers {
  const { sent } = headerLines(random, TRAILER_NAMES);
  const forbidden = ["Authorization: Basic mine", "X-Amp-Anything: 1", "Host: other.test", "Cookie: a=b"];
  return pick([
    NO_TRAILERS,
    { announced: [], sent },
    { announced: ["Trailer: X-Sum, Digest"], sent },
    { announced: ["trailer: x-sum"], sent: [...sent, ...forbidden] },
  ]);
}

function generateAnswer(random: () => number, method: string, pick: <T>(list: T[]) => T): GeneratedAnswer {
  const status = pick(STATUSES);
  const startLine = `HTTP/1.1 ${status} ${pick(REASONS)}`;
  const mayHaveBody = method !== "HEAD" && status !== 204 && status !== 304;
  const framing = mayHaveBody
    ? pick(["length", "length", "chunked", "trailers", "close"])
    : pick(["length", "none"]);
  const content = mayHaveBody ? randomBytes(random, pick([0, 10, 3_000, 200_000])) : Buffer.alloc(0);
  const kept = headerLines(random, [
    "Content-Type",
    "Set-Cookie",
    "set-cookie",
    "ETag",
    "Location",
    "X-RateLimit",
    "Content-Encoding",
  ]);
  const hasDate = random() < 0.5;
  const trailers = framing === "trailers" ? headerLines(random, TRAILER_NAMES) : undefined;
  const own = [
    ...kept.expected,
    "Set-Cookie: a=1; Path=/",
    "Set-Cookie: b=2",
    ...(hasDate ? ["Date: Thu, 06 Mar 2025 22:09:49 GMT"] : []),
    ...(framing === "length" && status !== 204
      ? [`Content-Length: ${mayHaveBody ? content.length : 12}`]
      : []),
  ];
  const hop = pick([
    [],
    ["Connection: keep-alive", "Keep-Alive: timeout=30"],
    ["Connection: x-internal", "X-Internal: secret", "X-Amp-Error: true"],
    ["Proxy-Connection: keep-alive", "Connection: close"],
  ]);
  const isChunked = framing === "chunked" || framing === "trailers";
  const sent = [
    ...own,
    ...hop,
    ...(isChunked ? ["Transfer-Encoding: chunked"] : []),
    ...(trailers && random() < 0.5 ? ["Trailer: X-Sum, Digest"] : []),
    ...(framing === "length" && status === 204 ? ["Content-Length: 0"] : []),
  ];
  const after = trailers ? [...trailers.sent, "Keep-Alive: timeout=5", "X-Amp-Error: true"] : [];
  const body = isChunked ? cutIntoChunks(random, content, after) : content;
  return {
    bytes: Buffer.concat([Buffer.from(`${[startLine, ...sent].join("\r\n")}\r\n\r\n`, "latin1"), body]),
    startLine,
    expectedLines: own,
    expectedBody: content,
    hasDate,
    isChunked: isChunked || framing === "close",
    endsConnection: framing === "close" || sent.includes("Connection: close"),
    hasBody: mayHaveBody,
  };
}

const pickOurs = (random: () => number): string[] => [
  random() < 0.5 ? "x-amp-proxy-version: 1" : "X-Amp-Proxy-Version:1",
  "X-AMP-PROJECT-ID: 01890000-0000-7000-8000-000000000001",
  "X-Api-Key: bb_key",
  "x-amp-installation-id: 01890000-0000-7000-8000-000000000002",
];

/** Lines as written, with odd spacing, and as they must arrive. */
function headerLines(random: () => number, names: string[]): { sent: string[]; expected: string[] } {
  const sent: string[] = [];
  const expected: string[] = [];
  const count = Math.floor(random() * 12);
  for (let at = 0; at < count; at++) {
    const name = names[Math.floor(random() * names.length)] ?? "X";
    const value = headerValue(random);
    sent.push(
      `${name}:${random() < 0.2 ? "" : random() < 0.1 ? " \t " : " "}${value}${random() < 0.1 ? "  " : ""}`,
    );
    expected.push(`${name}: ${value}`);
  }
  return { sent, expected };
}

function headerValue(random: () => number): string {
  const length = Math.floor(random() * random() * 200);
  let value = "";
  for (let at = 0; at < length; at++) {
    const code = random() < 0.05 ? 0x80 + Math.floor(random() * 0x80) : 0x20 + Math.floor(random() * 0x5f);
    value += String.fromCharCode(code);
  }
  return value.trim();
}

/** Returns the lines in random places, those of `inOrder` in their order. */
function shuffleIn(random: () => number, lines: string[], inOrder: string[]): string[] {
  const result = [...inOrder];
  for (const line of lines.slice(inOrder.length))
    result.splice(Math.floor(random() * (result.length + 1)), 0, line);
  return result;
}

function randomBytes(random: () => number, max: number): Buffer {
  const bytes = Buffer.alloc(Math.floor(random() * max));
  for (let at = 0; at < bytes.length; at++) bytes[at] = Math.floor(random() * 256);
  return bytes;
}

function cutIntoChunks(random: () => number, content: Buffer, trailers: string[]): Buffer {
  const parts: Buffer[] = [];
  for (let at = 0; at < content.length;) {
    const size = Math.min(content.length - at, 1 + Math.floor(random() * random() * 60_000));
    const extension = random() < 0.1 ? ";name=value" : "";
    parts.push(
      Buffer.from(`${size.toString(16)}${extension}\r\n`),
      content.subarray(at, at + size),
      Buffer.from("\r\n"),
    );
    at += size;
  }
  return Buffer.concat([...parts, Buffer.from(["0", ...trailers, "", ""].join("\r\n"), "latin1")]);
}

/** Returns the same bytes in up to four writes. */
function split(random: () => number, bytes: Buffer): Buffer[] {
  const cuts = Array.from({ length: Math.floor(random() * 4) }, () => Math.floor(random() * bytes.length));
  const ends = [...cuts.toSorted((left, right) => left - right), bytes.length];
  return ends.map((end, at) => bytes.subarray(ends[at - 1] ?? 0, end)).filter((part) => part.length > 0);
}
