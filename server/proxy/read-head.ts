/** Reads a caller's request head once: what is said to us, what goes on to the provider, and what must not pass. */
import { Problem, type Issue } from "../ground/errors.ts";
import { isUuid } from "../ground/ids.ts";

/** What the `x-amp-*` headers and the key ask for. */
export interface Asked {
  apiKey?: string;
  /** In lower case. */
  projectId: string;
  installationId?: string;
  integrationName?: string;
  groupRef?: string;
  throttle: boolean;
  /** A bearer token was sent, which the proxy does not take. */
  hasBearer: boolean;
}

export interface Head {
  asked: Asked;
  /** Name and value in turn, as they came, without what is ours or belongs to this connection only. */
  kept: string[];
  /** Names in lower case that `Connection` lists: meant for us alone. */
  hopNames: ReadonlySet<string>;
  /** How long the body is, or that it ends by its chunks. */
  body: number | "chunked";
}

/** The parts of a request that this looks at. */
export interface RawHead {
  method?: string;
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
  ["te", "drop"],
  ["trailer", "drop"],
  ["transfer-encoding", "drop"],
  ["upgrade", "drop"],
]);

/** Whether a caller's header of this name, in lower case, stays here whatever the provider is. */
export const staysHere = (name: string): boolean => KINDS.has(name) || name.startsWith("x-amp-");

/** The head, understood. Throws `invalid-request` that names every header at fault. */
export function readHead(request: RawHead): Head {
  const { rawHeaders } = request;
  const given: Partial<Record<Field, string>> = {};
  const kept: string[] = [];
  const faults: Issue[] = [];
  const framing = new Framing();
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const written = rawHeaders[at] ?? "";
    const value = rawHeaders[at + 1] ?? "";
    const name = written.toLowerCase();
    const kind = KINDS.get(name);
    if (kind === undefined) {
      if (!name.startsWith("x-amp-")) kept.push(written, value);
    } else if (kind === "drop") {
      framing.read(name, value, faults);
    } else {
      if (given[kind] !== undefined) faults.push(fault(name, "is there twice.", "Send it once."));
      given[kind] = value;
    }
  }
  framing.check(request, faults);
  const asked = readAsked(given, framing.hasBearer, faults);
  if (faults.length > 0) throw refusal(faults);
  return { asked, kept, hopNames: framing.hopNames, body: framing.body };
}

const NO_NAMES: ReadonlySet<string> = new Set();

/** How the message is delimited and what concerns this connection. The parser has refused most of what is unclear. */
class Framing {
  body: number | "chunked" = 0;
  hopNames: ReadonlySet<string> = NO_NAMES;
  hasBearer = false;
  #hosts = 0;
  #isChunked = false;

  read(name: string, value: string, faults: Issue[]): void {
    switch (name) {
      case "host":
        this.#hosts += 1;
        break;
      case "authorization":
        this.hasBearer = /^bearer /i.test(value);
        break;
      case "content-length":
        this.body = Number(value);
        break;
      case "transfer-encoding":
        // A second coding would have to be named to the provider again, and we do not decode.
        if (this.#isChunked || value.toLowerCase() !== "chunked") {
          faults.push(fault(name, "must be `chunked` alone.", "Send other codings as `Content-Encoding`."));
        }
        this.#isChunked = true;
        this.body = "chunked";
        break;
      case "connection":
        if (!/^(close|keep-alive)$/i.test(value)) this.hopNames = withNames(this.hopNames, value);
        break;
      case "upgrade":
        // Clients that offer HTTP/2 over plain text carry on without it; others would wait for their protocol.
        if (!/^h2c$/i.test(value)) {
          faults.push(
            fault(name, "cannot be served: the proxy carries HTTP requests only.", "Leave it out."),
          );
        }
        break;
    }
  }

  check({ httpVersion }: RawHead, faults: Issue[]): void {
    if (this.#hosts === 0 && httpVersion === "1.1") {
      faults.push(fault("host", "is missing.", "Send the proxy's own address in it."));
    }
    if (this.#hosts > 1) faults.push(fault("host", "is there twice.", "Send it once."));
    if (this.#isChunked && httpVersion !== "1.1") {
      faults.push(fault("transfer-encoding", "does not exist in HTTP/1.0.", "Use HTTP/1.1."));
    }
  }
}

const withNames = (names: ReadonlySet<string>, value: string): ReadonlySet<string> =>
  new Set([...names, ...value.split(",").map((token) => token.trim().toLowerCase())]);

function readAsked(given: Partial<Record<Field, string>>, hasBearer: boolean, faults: Issue[]): Asked {
  const { version, apiKey, projectId, installationId, mode } = given;
  const integrationName = decoded(given.integrationName);
  const groupRef = decoded(given.groupRef);
  if (version !== "1") {
    const what = version === undefined ? "is missing." : "names a version that does not exist.";
    faults.push(fault("x-amp-proxy-version", what, "Send the value 1."));
  }
  if (!projectId || !isUuid(projectId)) {
    const what = projectId ? "must be the ID of the project, not its name." : "is missing.";
    faults.push(fault("x-amp-project-id", what, "Send the project's ID, a UUID."));
  }
  if (mode !== undefined && mode !== "throttle") {
    const what = "names a mode that does not exist.";
    faults.push(fault("x-amp-rate-limiter-mode", what, "Send `throttle` or leave the header out."));
  }
  if (!installationId && !(integrationName && groupRef)) {
    const remedy = "Send it, or both `x-amp-integration-name` and `x-amp-group-ref`.";
    faults.push(fault("x-amp-installation-id", "is missing.", remedy));
  }
  return {
    apiKey,
    projectId: projectId?.toLowerCase() ?? "",
    installationId: installationId?.toLowerCase(),
    integrationName,
    groupRef,
    throttle: mode === "throttle",
    hasBearer,
  };
}

/** Header values arrive byte by byte; names of groups may be UTF-8. */
function decoded(value: string | undefined): string | undefined {
  if (value === undefined || !/[\u0080-\u00ff]/.test(value)) return value;
  const text = Buffer.from(value, "latin1").toString("utf8");
  return text.includes("\ufffd") ? value : text;
}

const fault = (name: string, detail: string, remedy: string): Issue => ({
  in: "header",
  name,
  detail: `The header \`${name}\` ${detail}`,
  remedy,
});

function refusal(issues: Issue[]): Problem {
  const [first] = issues;
  const detail = issues.map((issue) => `${issue.detail} ${issue.remedy ?? ""}`.trim()).join(" ");
  return new Problem("invalid-request", { detail, remedy: first?.remedy, issues });
}
