/** One finding about a manifest: place, message and remedy; and the report that the rules write findings into. */

type Severity = "error" | "warning";

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

/** The ids of the public format, then Busbar's own. */
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
  | "list-entry-write"
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
  | "unknown-field"
  | "unknown-object"
  | "too-many-findings";

/** Keys and list indexes from the top of the file down to a member. */
export type Path = readonly (string | number)[];

/** Counted from 1. */
export interface Position {
  line: number;
  column: number;
}

/** Returns where the value at a path stands in the file; with `at: "key"` where its key stands. */
export type FindPosition = (path: Path, at?: "key") => Position;

/** Limit for errors and for warnings, each. More would not help to repair the file. */
export const MAX_FINDINGS = 500;

/** A function is called only if the finding is kept: for remedies that are expensive to find. */
type Remedy = string | (() => string);
type AddFinding = (rule: Rule, path: Path, message: string, remedy: Remedy, at?: "key") => void;

/** Receives the findings of the rules. `at: "key"` points at the name of the member instead of its value. */
export interface Report {
  error: AddFinding;
  warning: AddFinding;
  /** Returns how many were not kept. */
  dropped(): number;
}

/** Creates a report that appends to `findings`. */
export function createReport(findPosition: FindPosition, findings: Finding[]): Report {
  let dropped = 0;
  const adder = (severity: Severity): AddFinding => {
    let kept = 0;
    return (rule, path, message, remedy, at) => {
      if (++kept > MAX_FINDINGS) {
        dropped++;
        return;
      }
      const position = findPosition(path, at);
      findings.push({
        severity,
        rule,
        message,
        ...position,
        path: formatPath(path),
        remedy: typeof remedy === "string" ? remedy : remedy(),
      });
    };
  };
  return { error: adder("error"), warning: adder("warning"), dropped: () => dropped };
}

/** Returns for example `$.integrations[0]['odd key']`: dots before plain names, brackets around others. */
export const formatPath = (path: Path): string =>
  path.reduce<string>((text, step) => {
    if (typeof step === "number") return `${text}[${step}]`;
    return /^[A-Za-z_][\w-]*$/.test(step)
      ? `${text}.${step}`
      : `${text}['${step.replace(/[\\']/g, "\\$&")}']`;
  }, "$");
