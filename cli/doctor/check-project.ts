/** Checks a project for failing destinations, refused credentials, unhealthy installations and refused pushes. */
import { requireObjects, getTextAt, getValueAt, type JsonObject } from "../http/json.ts";
import { encodeStep } from "../http/api.ts";
import { Refused } from "../http/refused.ts";
import type { Connected } from "../settings/connect.ts";
import { checkInstallations } from "./check-installations.ts";
import { comparePushes, enableDestination, lookAtApp, reconnect, resendWaiting } from "./cures.ts";
import { reportBad, reportGood, summarize, type Finding } from "./finding.ts";

type Needs = Pick<Connected, "inProject">;

export async function checkProject(deps: Needs): Promise<Finding[]> {
  const [destinations, connections, pushes] = await Promise.all([
    reportFailure("destinations", checkDestinations(deps)),
    reportFailure("connections", checkConnections(deps)),
    reportFailure("pushes", checkPushes(deps)),
  ]);
  const causes = [...destinations, ...connections].filter(({ ok }) => !ok);
  const named = new Set(causes.map(({ check }) => check));
  const installations = await reportFailure("installations", checkInstallations(deps, named));
  return [...destinations, ...connections, ...installations, ...pushes];
}

/** Returns findings, or the refusal as one: what the server cannot say now hides nothing of the others. */
async function reportFailure(check: string, findings: Promise<Finding[]>): Promise<Finding[]> {
  try {
    return await findings;
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    return [reportBad(check, error.message, "Check the server's log and its database.")];
  }
}

async function checkDestinations(deps: Needs): Promise<Finding[]> {
  const all = requireObjects(await deps.inProject("GET", "/destinations"));
  const faults = all.flatMap(findFault);
  return faults.length > 0
    ? summarize("destinations", all, faults)
    : [reportGood("destinations", countFailed(all))];
}

/** Counts failed deliveries. They are sent again only on request, even if the destination works now. */
function countFailed(all: JsonObject[]): string {
  const count = all.reduce((sum, one) => sum + Number(getValueAt(one, "health.failed") ?? 0), 0);
  const inOrder = all.length === 0 ? "none yet" : `${all.length} in order`;
  return count === 0
    ? inOrder
    : `${inOrder}; ${count} earlier deliveries failed for good (busbar list deliveries --status failed)`;
}

function findFault(destination: JsonObject): Finding[] {
  const name = getTextAt(destination, "name") ?? "";
  const check = `destination ${name}`;
  const health = getValueAt(destination, "health");
  const error = getTextAt(health, "lastFailure.error") ?? "no reason is kept";
  if (getTextAt(destination, "disabledTime")) {
    const why = getTextAt(destination, "disabledReason") ?? "nothing is sent there";
    const since = getTextAt(destination, "disabledTime");
    return [reportBad(check, `is disabled since ${since}: ${why}`, enableDestination(name))];
  }
  if (getTextAt(health, "state") !== "failing") return [];
  const next = getTextAt(health, "nextAttemptTime");
  const then = next ? `the next attempt is due at ${next}` : "nothing waits for it";
  const detail = `is failing since ${getTextAt(health, "failingSince")}: ${error}; ${then}`;
  return [reportBad(check, detail, resendWaiting(name))];
}

async function checkConnections(deps: Needs): Promise<Finding[]> {
  const all = requireObjects(await deps.inProject("GET", "/connections"));
  const faults = all.flatMap((one) => {
    const [provider, group] = [getTextAt(one, "provider") ?? "", getTextAt(one, "group.groupRef") ?? ""];
    const check = `connection ${getTextAt(one, "id") ?? ""}`;
    if (getTextAt(one, "status") === "bad_credentials")
      return [
        reportBad(check, `${provider} refuses the credentials of ${group}`, reconnect(provider, group)),
      ];
    const failure = getTextAt(one, "refreshFailure.detail");
    return failure ? [reportBad(check, `${group}: ${failure}`, lookAtApp(provider))] : [];
  });
  const unverified = all.filter(isUnverified).length;
  if (unverified === 0) return summarize("connections", all, faults);
  const known = `${all.length - unverified - faults.length} in order`;
  const detail = `${known}; of ${unverified} the provider has not accepted the credentials yet`;
  return [
    ...(faults.length > 0 ? summarize("connections", all, faults) : []),
    reportGood("connections", detail),
  ];
}

/** Nothing could be tried, or the provider did not answer. */
const isUnverified = (connection: JsonObject): boolean =>
  getValueAt(connection, "verified") === false &&
  getTextAt(connection, "status") !== "bad_credentials" &&
  getTextAt(connection, "refreshFailure.detail") === undefined;

/** Checks the pushes of one integration for each provider that has subscriptions. */
async function checkPushes(deps: Needs): Promise<Finding[]> {
  const subscribing = requireObjects(await deps.inProject("GET", "/integrations")).filter(
    (one) => getValueAt(one, "latestRevision.content.subscribe") !== undefined,
  );
  const names = new Map(
    subscribing.map((one) => [getTextAt(one, "provider") ?? "", getTextAt(one, "name") ?? ""]),
  );
  const found = await Promise.all(
    [...names].map(async ([provider, name]) => {
      const setup = await deps.inProject("GET", `/integrations/${encodeStep(name)}/subscribe-setup`);
      const detail = getTextAt(setup, "refusedPushes.detail");
      if (detail === undefined) return [];
      const since = getTextAt(setup, "refusedPushes.since");
      return [reportBad(`pushes of ${provider}`, `${detail} (since ${since})`, comparePushes(name))];
    }),
  );
  return found.flat();
}
