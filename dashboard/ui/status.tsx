/** A status in the words of the API, with an icon and a colour. */
import type { JSX } from "react";
import { Icon, type IconName } from "./icons.tsx";
import classes from "./status.module.css";

type Kind = "good" | "bad" | "warn" | "busy" | "idle";

/** Every status of the API that means something. Others are shown without a colour. */
const KINDS: Record<string, Kind> = {
  success: "good",
  delivered: "good",
  working: "good",
  healthy: "good",
  active: "good",
  accepted: "good",
  succeeded: "good",
  enabled: "good",
  executed: "good",
  failure: "bad",
  failed: "bad",
  bad_credentials: "bad",
  unhealthy: "bad",
  failing: "bad",
  expired: "bad",
  nowhere: "bad",
  given_up: "bad",
  partial: "warn",
  refused: "warn",
  rejected: "warn",
  stale: "warn",
  degraded: "warn",
  partial_success: "warn",
  disabled: "warn",
  inactive: "warn",
  paused: "warn",
  waiting: "busy",
  running: "busy",
  pending: "busy",
  in_progress: "busy",
  received: "busy",
  queued: "busy",
  approved: "busy",
  in_message: "busy",
  unverified: "busy",
  created: "idle",
  filtered: "idle",
  repeated: "idle",
  idle: "idle",
};

const ICONS: Record<Kind, IconName> = {
  good: "check",
  bad: "cross",
  warn: "alert",
  busy: "clock",
  idle: "dash",
};

/** `in_progress` reads as "in progress". */
export const describeStatus = (status: string): string => status.replaceAll("_", " ");

export function Status({ status, children }: { status: string; children?: string }): JSX.Element {
  const kind = KINDS[status] ?? "idle";
  return (
    <span className={classes["status"]} data-kind={kind}>
      <Icon name={ICONS[kind]} size={14} />
      <span>{children ?? describeStatus(status)}</span>
    </span>
  );
}
