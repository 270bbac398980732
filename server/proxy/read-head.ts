/** Reads a caller's request head once: what is said to us, what goes on to the provider, and what must not pass. */
import { Problem, type Issue } from "../ground/errors.ts";
import { isUuid } from "../ground/ids.ts";

/** What the `x-amp-*` headers and the key ask for, as it was written. */
export interface ProxyRequestNames {
  version?: string;
  apiKey?: string;
  projectId?: string;
  installationId?: string;
  integrationName?: string;
  groupRef?: string;
  mode?: string;
  /** A bearer token was sent, which the proxy does not take. */
  hasBearer: boolean;
}

export interface Head extends ProxyRequestNames {
  /** Name and value in turn, as they came, without what is ours or belongs to this connection only. */
  kept: string[];
  /** Names in lower case that `Connection` lists: meant for us alone. */
  hopNames: ReadonlySet<string>;
  /** How long the body is, or that it ends by its chunks. */
  body: number | "chunked";
  hosts: number;
  /** Headers that cannot be accepted; undefined while there are none. */
  faults: Issue[] | undefined;
}

/** The parts of a request that this looks at. */
export interface RawHead {
  httpVersion: string;
  rawHeaders: string[];
}

type Field = "version" | "apiKey" | "projectId" | "installationId" | "integrationName" | "groupRef" | "mode";

/** What becomes of a header by its name: a field that is for us, or `drop` for what never passes. */
const KINDS = new Map<string, Field | "drop">([
  ["x-amp-proxy-version", "version"],
  ["x-api-key", "apiKey"],
  ["x-amp-project-id", "projectId"],
  ["x-amp-installation-id", "installationId"],
  ["x-amp-integration-name", "integrationName"],
  ["x-amp-group-ref", "groupRef"],
  ["x-amp-rate-limiter-mode", "mode"],
  // The caller's credentials, and what HTTP defines for one connection only.
  ["authorization", "drop"],
  ["cookie", "drop"],
  ["connection", "drop"],
  ["content-length", "drop"],
  ["expect", "drop"],
  ["host", "drop"],
  ["http2-settings", "drop"],
  ["keep-alive", "drop"],
  ["proxy-authenticate", "drop"],
  ["proxy-authorization", "drop"],
  ["proxy-connection", "drop"],
  // Trailers are dropped in both directions, and other transfer codings would be for us to decode.
  ["te", "drop"],
  ["trailer", "drop"],
  ["transfer-encoding", "drop"],
  ["upgrade", "drop"],
]);

/** Whether a caller's header of this name, in lower case, stays here whatever the provider is. */
export const staysHere = (name: string): boolean => KINDS.has(name) || name.startsWith("x-amp-");

const NO_NAMES: ReadonlySet<string> = new Set();

/** The head, sorted. What is wrong with it is in `faults`; whether what it asks for makes sense, `checkAsked` says. */
export function readHead({ rawHeaders, httpVersion }: RawHead): Head {
  const head: Head = {
    version: undefined,
    apiKey: undefined,
    projectId: undefined,
    installationId: undefined,
    integrationName: undefined,
    groupRef: undefined,
    mode: undefined,
    hasBearer: false,
    kept: [],
    hopNames: NO_NAMES,
    body: 0,
    hosts: 0,
    faults: undefined,
  };
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const written = rawHeaders[at] ?? "";
    const value = rawHeaders[at + 1] ?? "";
    const name = written.toLowerCase();
    const kind = KINDS.get(name);
    if (kind === undefined) {
      if (!name.startsWith("x-amp-")) head.kept.push(written, value);
    } else if (kind === "drop") {
      readDropped(head, name, value);
    } else {
      if (head[kind] !== undefined) blame(head, name, "is there twice.", "Send it once.");
      head[kind] = value;
    }
  }
  if (head.hosts !== 1) checkHost(head, httpVersion);
  if (head.body === "chunked" && httpVersion !== "1.1") {
    blame(head, "transfer-encoding", "does not exist in HTTP/1.0.", "Use HTTP/1.1.");
  }
  return head;
}

/** How the message is delimited and what concerns this connection. The parser has refused most of what is unclear. */
function readDropped(head: Head, name: string, value: string): void {
  switch (name) {
    case "host":
      head.hosts += 1;
      break;
    case "authorization":
      head.hasBearer = /^bearer /i.test(value);
      break;
    case "content-length":
      head.body = Number(value);
      break;
    case "transfer-encoding":
      // A second coding would have to be named to the provider again, and we do not decode.
      if (head.body === "chunked" || value.toLowerCase() !== "chunked") {
        blame(head, name, "must be `chunked` alone.", "Send other codings as `Content-Encoding`.");
      }
      head.body = "chunked";
      break;
    case "connection":
      if (!/^(close|keep-alive)$/i.test(value)) head.hopNames = withNames(head.hopNames, value);
      break;
    case "upgrade":
      // Clients that offer HTTP/2 over plain text carry on without it; others would wait for their protocol.
      if (!/^h2c$/i.test(value)) {
        blame(head, name, "cannot be served: the proxy carries HTTP requests only.", "Leave it out.");
      }
      break;
  }
}

const withNames = (names: ReadonlySet<string>, value: string): ReadonlySet<string> =>
  new Set([...names, ...value.split(",").map((token) => token.trim().toLowerCase())]);

function checkHost(head: Head, httpVersion: string): void {
  if (head.hosts > 1) blame(head, "host", "is there twice.", "Send it once.");
  else if (httpVersion === "1.1") blame(head, "host", "is missing.", "Send the proxy's own address in it.");
}

/** Whether nothing in the head speaks against serving it, provided that its ids have been looked up before. */
export const isAcceptable = ({ faults, version, mode }: Head): boolean =>
  faults === undefined && version === "1" && (mode === undefined || mode === "throttle");

/** Throws `invalid-request` that names every header at fault. */
export function checkAsked(head: Head): void {
  const { version, projectId, installationId, integrationName, groupRef, mode } = head;
  if (version !== "1") {
    const what = version === undefined ? "is missing." : "names a version that does not exist.";
    blame(head, "x-amp-proxy-version", what, "Send the value 1.");
  }
  if (!projectId || !isUuid(projectId)) {
    const what = projectId ? "must be the ID of the project, not its name." : "is missing.";
    blame(head, "x-amp-project-id", what, "Send the project's ID, a UUID.");
  }
  if (mode !== undefined && mode !== "throttle") {
    const what = "names a mode that does not exist.";
    blame(head, "x-amp-rate-limiter-mode", what, "Send `throttle` or leave the header out.");
  }
  if (!installationId && !(integrationName && groupRef)) {
    const remedy = "Send it, or both `x-amp-integration-name` and `x-amp-group-ref`.";
    blame(head, "x-amp-installation-id", "is missing.", remedy);
  }
  if (head.faults) throw refusal(head.faults);
}

/** The text of a header value. Values arrive byte by byte; names of groups may be UTF-8. */
export function textOf(value: string): string {
  if (!/[\u0080-\u00ff]/.test(value)) return value;
  const text = Buffer.from(value, "latin1").toString("utf8");
  return text.includes("\ufffd") ? value : text;
}

function blame(head: Head, name: string, detail: string, remedy: string): void {
  head.faults ??= [];
  head.faults.push({ in: "header", name, detail: `The header \`${name}\` ${detail}`, remedy });
}

function refusal(issues: Issue[]): Problem {
  const [first] = issues;
  const detail = issues.map((issue) => `${issue.detail} ${issue.remedy ?? ""}`.trim()).join(" ");
  return new Problem("invalid-request", { detail, remedy: first?.remedy, issues });
}
