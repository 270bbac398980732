/** What is wrong in a manifest, where, and what to do about it; and the list that rules write their findings into. */
import type { ManifestDocument } from "./parse-manifest.ts";

export type Severity = "error" | "warning";

export interface Finding {
  severity: Severity;
  /** Id of the rule; `# amp:ignore[id]` silences a warning by it. */
  rule: Rule;
  message: string;
  /** Counted from 1. */
  line: number;
  column: number;
  /** For example `$.integrations[0].read.objects[1].schedule`. */
  path: string;
  remedy: string;
}

/** The rules of the public format, then ours for what it leaves to the parser. */
export type Rule =
  | "spec-version"
  | "integration-structure"
  | "required-field"
  | "read-objects"
  | "write-objects"
  | "subscribe-objects"
  | "schedule-syntax"
  | "schedule-minimum-interval"
  | "delivery-mode"
  | "backfill-config"
  | "always-enabled-fields"
  | "subscribe-requires-read"
  | "subscribe-inherit-fields"
  | "update-event-enabled"
  | "update-event-watch-fields"
  | "watch-fields-no-nesting"
  | "subscribe-minimum-events"
  | "duplicate-read-object"
  | "duplicate-write-object"
  | "duplicate-subscribe-object"
  | "unknown-key"
  | "provider-not-supported"
  | "provider-module"
  | "provider-capability-read"
  | "provider-capability-write"
  | "provider-capability-subscribe"
  | "provider-capability-proxy"
  | "salesforce-subscribe-limit"
  | "google-calendar-backfill"
  | "snowflake-backfill"
  | "destination-not-found"
  | "destination-exists"
  | "provider-app-not-configured"
  | "large-backfill-risk"
  | "frequent-schedule-risk"
  | "field-mapping-jsonpath"
  | "manifest-size"
  | "yaml-syntax"
  | "duplicate-key"
  | "wrong-type"
  | "allowed-value"
  | "integration-name"
  | "display-name"
  | "duplicate-integration"
  | "proxy-enabled"
  | "not-built-yet"
  | "too-many-findings";

/** The way from the top of the file to a member: keys and list indexes. */
export type Path = readonly (string | number)[];

/** As many errors and as many warnings are kept; a file with more is broken in a way that more would not explain. */
export const MAX_FINDINGS = 500;

/** A function is asked only if the finding is kept, for remedies that take time to find. */
type Remedy = string | (() => string);
type Tell = (rule: Rule, path: Path, message: string, remedy: Remedy, at?: "key") => void;

/** Where rules put what they find. `at: "key"` points at the name of the member instead of its value. */
export interface Report {
  error: Tell;
  warning: Tell;
  /** How many were not kept. */
  dropped(): number;
}

/** A report that collects into `findings` with the positions of `document`. */
export function createReport(document: Pick<ManifestDocument, "positionOf">, findings: Finding[]): Report {
  let dropped = 0;
  const teller = (severity: Severity): Tell => {
    let kept = 0;
    return (rule, path, message, remedy, at) => {
      if (++kept > MAX_FINDINGS) {
        dropped++;
        return;
      }
      const position = document.positionOf(path, at);
      const told = typeof remedy === "string" ? remedy : remedy();
      findings.push({ severity, rule, message, ...position, path: formatPath(path), remedy: told });
    };
  };
  return { error: teller("error"), warning: teller("warning"), dropped: () => dropped };
}

/** `$.integrations[0]['odd key']`: dots for plain names, brackets for the rest. */
export const formatPath = (path: Path): string =>
  path.reduce<string>((text, step) => {
    if (typeof step === "number") return `${text}[${step}]`;
    return /^[A-Za-z_][\w-]*$/.test(step)
      ? `${text}.${step}`
      : `${text}['${step.replace(/[\\']/g, "\\$&")}']`;
  }, "$");
