/** Reads the head of a caller's request in one pass: what is for the proxy, what goes to the provider, what is dropped. */
import { Problem, type Issue } from "../../ground/errors.ts";
import { isUuid } from "../../ground/ids.ts";

/** The values of the `x-amp-*` headers and the key, as the caller wrote them. */
export interface ProxyRequestNames {
  version?: string;
  apiKey?: string;
  projectId?: string;
  installationId?: string;
  integrationName?: string;
  groupRef?: string;
  mode?: string;
  /** Whether a bearer token was sent, which the proxy does not accept. */
  hasBearer: boolean;
}

export interface RequestHead extends ProxyRequestNames {
  /** Headers for the provider, name and value in turn, as the caller wrote them. */
  kept: string[];
  /** Names in lower case that `Connection` lists: these headers are for this connection only. */
  hopNames: ReadonlySet<string>;
  /** Length of the body in bytes. */
  body: number | "chunked";
  hosts: number;
  /** Unacceptable headers; undefined while there are none. */
  issues: Issue[] | undefined;
  /** The caller's place in its trace, as it was sent. */
  traceparent: string | undefined;
}

/** The parts of a request that `readHead` reads. */
interface RawHead {
  httpVersion: string;
  rawHeaders: string[];
}

type Field = "version" | "apiKey" | "projectId" | "installationId" | "integrationName" | "groupRef" | "mode";

/** Headers that do not pass by default: those for the proxy, with their field, and those that are dropped. */
const KINDS = new Map<string, Field | "drop">([
  ["x-amp-proxy-version", "version"],
  ["x-api-key", "apiKey"],
  ["x-amp-project-id", "projectId"],
  ["x-amp-installation-id", "installationId"],
  ["x-amp-integration-name", "integrationName"],
  ["x-amp-group-ref", "groupRef"],
  ["x-amp-rate-limiter-mode", "mode"],
  // The caller's credentials, and headers that HTTP defines for one connection only.
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
  // Trailers are dropped, and the proxy would have to decode other transfer codings.
  ["te", "drop"],
  ["trailer", "drop"],
  ["transfer-encoding", "drop"],
  ["upgrade", "drop"],
  // The caller's trace ends here: it is for its own services, and baggage may name customers (docs/decisions/0029).
  ["traceparent", "drop"],
  ["tracestate", "drop"],
  ["baggage", "drop"],
]);

/** What reverse proxies add: where the caller is and who passed the request on, which is nothing for a provider. */
const KINDS_BEHIND_PROXY = new Map<string, Field | "drop">([
  ...KINDS,
  ["forwarded", "drop"],
  ["via", "drop"],
  ["x-forwarded-for", "drop"],
  ["x-forwarded-host", "drop"],
  ["x-forwarded-port", "drop"],
  ["x-forwarded-proto", "drop"],
  ["x-forwarded-server", "drop"],
  ["x-real-ip", "drop"],
]);

/** Returns whether a caller's header of this name, in lower case, never reaches any provider. */
export const neverPasses = (name: string): boolean => KINDS.has(name) || name.startsWith("x-amp-");

const NO_NAMES: ReadonlySet<string> = new Set();

/**
 * Sorts the headers. Malformed ones go to `issues`; `checkNames` validates the values. `isBehindProxy`: a reverse proxy of the
 * operator has passed the request on.
 */
export function readHead({ rawHeaders, httpVersion }: RawHead, isBehindProxy = false): RequestHead {
  const kinds = isBehindProxy ? KINDS_BEHIND_PROXY : KINDS;
  const head: RequestHead = {
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
    issues: undefined,
    traceparent: undefined,
  };
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const written = rawHeaders[at] ?? "";
    const value = rawHeaders[at + 1] ?? "";
    const name = written.toLowerCase();
    const kind = kinds.get(name);
    if (kind === undefined) {
      if (!name.startsWith("x-amp-")) head.kept.push(written, value);
    } else if (kind === "drop") {
      readDropped(head, name, value);
    } else {
      if (head[kind] !== undefined) addIssue(head, name, "appears twice.", "Send it once.");
      head[kind] = value;
    }
  }
  if (head.hosts !== 1) checkHost(head, httpVersion);
  if (head.body === "chunked" && httpVersion !== "1.1") {
    addIssue(head, "transfer-encoding", "does not exist in HTTP/1.0.", "Use HTTP/1.1.");
  }
  return head;
}

/** Reads a header that is not forwarded, such as those about the body's length. The parser has refused most ambiguities. */
function readDropped(head: RequestHead, name: string, value: string): void {
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
      // The proxy does not decode, and a second coding would have to be announced to the provider again.
      if (head.body === "chunked" || value.toLowerCase() !== "chunked") {
        addIssue(head, name, "must be `chunked` alone.", "Send other codings as `Content-Encoding`.");
      }
      head.body = "chunked";
      break;
    case "connection":
      if (!/^(close|keep-alive)$/i.test(value)) head.hopNames = withNames(head.hopNames, value);
      break;
    case "traceparent":
      head.traceparent = value;
      break;
    case "upgrade":
      // Clients that offer HTTP/2 over plain text work without it; others would wait for their protocol.
      if (!/^h2c$/i.test(value)) {
        addIssue(head, name, "is not supported: the proxy carries HTTP requests only.", "Leave it out.");
      }
      break;
  }
}

const withNames = (names: ReadonlySet<string>, value: string): ReadonlySet<string> =>
  new Set([...names, ...value.split(",").map((token) => token.trim().toLowerCase())]);

function checkHost(head: RequestHead, httpVersion: string): void {
  if (head.hosts > 1) addIssue(head, "host", "appears twice.", "Send it once.");
  else if (httpVersion === "1.1")
    addIssue(head, "host", "is missing.", "Send the proxy's own address in it.");
}

/** Returns whether the head is valid, provided that its ids have been resolved before. */
export const isAcceptable = ({ issues, version, mode }: RequestHead): boolean =>
  issues === undefined && version === "1" && (mode === undefined || mode === "throttle");

/** Throws `invalid-request` with an issue for every unacceptable header. */
export function checkNames(head: RequestHead): void {
  const { version, projectId, installationId, integrationName, groupRef, mode } = head;
  if (version !== "1") {
    const what = version === undefined ? "is missing." : "names an unknown version.";
    addIssue(head, "x-amp-proxy-version", what, "Send the value 1.");
  }
  if (!projectId || !isUuid(projectId)) {
    const what = projectId ? "must be the ID of the project, not its name." : "is missing.";
    addIssue(head, "x-amp-project-id", what, "Send the project's ID, a UUID.");
  }
  if (mode !== undefined && mode !== "throttle") {
    const what = "names an unknown mode.";
    addIssue(head, "x-amp-rate-limiter-mode", what, "Send `throttle` or leave the header out.");
  }
  if (!installationId && !(integrationName && groupRef)) {
    const remedy = "Send it, or both `x-amp-integration-name` and `x-amp-group-ref`.";
    addIssue(head, "x-amp-installation-id", "is missing.", remedy);
  }
  const isLost = [version, projectId, installationId, integrationName, groupRef].every((value) => !value);
  if (head.issues) throw toProblem(head.issues, isLost ? NOT_THE_API : "");
}

/** For a call without any of the proxy's headers. */
const NOT_THE_API = " This is the proxy; the API has an address of its own, by default port 4000.";

/** Returns the project id as it is stored. */
export const readProjectId = ({ projectId = "" }: ProxyRequestNames): string => projectId.toLowerCase();

/** Decodes a header value. Node returns one character per byte, but names of groups may be UTF-8. */
export function getHeaderText(value: string): string {
  if (!/[\u0080-\u00ff]/.test(value)) return value;
  const text = Buffer.from(value, "latin1").toString("utf8");
  return text.includes("\ufffd") ? value : text;
}

function addIssue(head: RequestHead, name: string, detail: string, remedy: string): void {
  head.issues ??= [];
  head.issues.push({ in: "header", name, detail: `The header \`${name}\` ${detail}`, remedy });
}

function toProblem(issues: Issue[], hint: string): Problem {
  const detail = issues.map((issue) => `${issue.detail} ${issue.remedy ?? ""}`.trim()).join(" ");
  const remedies = issues.map(({ name, remedy = "" }) => (issues.length > 1 ? `${name}: ${remedy}` : remedy));
  return new Problem("invalid-request", {
    detail: `${detail}${hint}`,
    remedy: remedies.join(" "),
    issues,
  });
}
