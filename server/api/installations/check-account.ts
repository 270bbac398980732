/** Checks a configuration against the customer's account: its fields, and whether records can be read. */
import { setTimeout as wait } from "node:timers/promises";
import { Problem } from "../../../ground/errors.ts";
import type { Integration } from "../integration.ts";
import { findUnknownFields, type AccountServices, type ConfigChange } from "./account-fields.ts";
import { findUnknownObjects } from "./account-objects.ts";
import type { InstallationWarning } from "./installation.ts";
import { findUnreadableObjects } from "./sample-read.ts";

/** An installation waits at most this long for the provider; then it is saved without the check. */
const PATIENCE_MS = 10_000;

/**
 * Throws a 422 Problem with one issue for each object and field that the account does not have, or otherwise for each object that the
 * provider refuses to read. Checks only what differs from `before`. An account that cannot be read, or not in time, refuses
 * nothing. Returns warnings about objects to write that the account does not have. Calls the provider, so it must not run in a
 * transaction.
 */
export async function checkAccount(
  deps: AccountServices,
  integration: Integration,
  change: ConfigChange,
): Promise<InstallationWarning[]> {
  const { issues, warnings } = (await runInTime(async () => {
    const objects = await findUnknownObjects(deps, integration, change);
    const unknown = [...objects.issues, ...(await findUnknownFields(deps, integration, change))];
    const all = unknown.length > 0 ? unknown : await findUnreadableObjects(deps, integration, change);
    return { issues: all, warnings: objects.warnings };
  })) ?? { issues: [], warnings: [] };
  const [first] = issues;
  if (!first) return warnings;
  const more = issues.length > 1 ? ` (and ${issues.length - 1} more, see \`issues\`)` : "";
  const detail = `${first.name}: ${first.detail} ${first.remedy}${more}`;
  throw new Problem("invalid-config", { detail, issues });
}

/** Returns undefined if the work takes too long; its result is then ignored. */
async function runInTime<Result>(work: () => Promise<Result>): Promise<Result | undefined> {
  const stop = new AbortController();
  const patience = wait(PATIENCE_MS, undefined, { signal: stop.signal }).catch(() => undefined);
  const working = work();
  try {
    return await Promise.race([working, patience]);
  } finally {
    stop.abort();
    working.catch(() => undefined);
  }
}
