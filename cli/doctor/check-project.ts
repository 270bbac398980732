/** Checks a project for failing destinations, refused credentials, unhealthy installations and refused pushes. */
import { objectsAt, requireObjects, textAt, valueAt, type JsonObject } from "../http/json.ts";
import { encodeStep } from "../http/api.ts";
import { Refused } from "../http/refused.ts";
import type { Connected } from "../settings/connect.ts";
import { reportBad, reportGood, type Finding } from "./finding.ts";

type Needs = Pick<Connected, "inProject">;

/** More findings of one kind are only counted. */
const MAX_LINES = 10;

export async function checkProject(deps: Needs): Promise<Finding[]> {
  const found = await Promise.all([
    reportFailure("destinations", checkDestinations(deps)),
    reportFailure("connections", checkConnections(deps)),
    reportFailure("installations", checkInstallations(deps)),
    reportFailure("pushes", checkPushes(deps)),
  ]);
  return found.flat();
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

/** They are sent again only by request, whatever the destination does now. */
function countFailed(all: JsonObject[]): string {
  const count = all.reduce((sum, one) => sum + Number(valueAt(one, "health.failed") ?? 0), 0);
  const inOrder = all.length === 0 ? "none yet" : `${all.length} in order`;
  return count === 0
    ? inOrder
    : `${inOrder}; ${count} earlier deliveries failed for good (busbar list deliveries --status failed)`;
}

function findFault(destination: JsonObject): Finding[] {
  const name = textAt(destination, "name") ?? "";
  const check = `destination ${name}`;
  const health = valueAt(destination, "health");
  const error = textAt(health, "lastFailure.error") ?? "no reason is kept";
  if (textAt(destination, "disabledTime")) {
    const why = textAt(destination, "disabledReason") ?? "nothing is sent there";
    const cure = `Fix the receiver, then: busbar rotate destination ${name}, or update it with its --webhook; either enables it.`;
    return [reportBad(check, `is disabled since ${textAt(destination, "disabledTime")}: ${why}`, cure)];
  }
  const cure = `Look with: busbar test destination ${name}. Then: busbar resend --destination ${name} --undelivered`;
  if (textAt(health, "state") !== "failing") return [];
  const next = textAt(health, "nextAttemptTime");
  const then = next ? `the next attempt is due at ${next}` : "nothing waits for it";
  return [reportBad(check, `is failing since ${textAt(health, "failingSince")}: ${error}; ${then}`, cure)];
}

async function checkConnections(deps: Needs): Promise<Finding[]> {
  const all = requireObjects(await deps.inProject("GET", "/connections"));
  const faults = all.flatMap((one) => {
    const [provider, group] = [textAt(one, "provider") ?? "", textAt(one, "group.groupRef") ?? ""];
    const check = `connection ${textAt(one, "id") ?? ""}`;
    if (textAt(one, "status") === "bad_credentials")
      return [
        reportBad(check, `${provider} refuses the credentials of ${group}`, reconnect(provider, group)),
      ];
    const failure = textAt(one, "refreshFailure.detail");
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
  valueAt(connection, "verified") === false &&
  textAt(connection, "status") !== "bad_credentials" &&
  textAt(connection, "refreshFailure.detail") === undefined;

async function checkInstallations(deps: Needs): Promise<Finding[]> {
  const all = requireObjects(await deps.inProject("GET", "/installations"));
  const faults = all.flatMap((one) =>
    objectsAt(one, "healthReasons")
      .filter((reason) => !lacksWorker(reason))
      .map((reason) => {
        const [type, name] = [textAt(reason, "type") ?? "", textAt(reason, "name") ?? ""];
        const [id, group] = [textAt(one, "id") ?? "", textAt(one, "group.groupRef") ?? ""];
        const detail = textAt(reason, "detail") ?? "";
        const since = `since ${textAt(reason, "since") ?? "unknown"}`;
        return reportBad(
          `installation ${id}`,
          `${group}, ${type} ${name}: ${detail} (${since})`,
          type === "connection" && textAt(one, "connection.status") !== "bad_credentials"
            ? lookAtApp(name)
            : (REMEDIES[type]?.({ id, group, name, detail }) ?? `Look with: busbar get installation ${id}`),
        );
      }),
  );
  return summarize("installations", all, [...waitForWorker(all), ...faults]);
}

/** Looks at one integration of each provider whose changes are subscribed to. */
async function checkPushes(deps: Needs): Promise<Finding[]> {
  const subscribing = requireObjects(await deps.inProject("GET", "/integrations")).filter(
    (one) => valueAt(one, "latestRevision.content.subscribe") !== undefined,
  );
  const names = new Map(subscribing.map((one) => [textAt(one, "provider") ?? "", textAt(one, "name") ?? ""]));
  const found = await Promise.all(
    [...names].map(async ([provider, name]) => {
      const setup = await deps.inProject("GET", `/integrations/${encodeStep(name)}/subscribe-setup`);
      const detail = textAt(setup, "refusedPushes.detail");
      if (detail === undefined) return [];
      const since = textAt(setup, "refusedPushes.since");
      const cure = `Compare the address with: busbar api GET /v1/projects/{project}/integrations/${name}/subscribe-setup`;
      return [reportBad(`pushes of ${provider}`, `${detail} (since ${since})`, cure)];
    }),
  );
  return found.flat();
}

const lacksWorker = (reason: JsonObject): boolean => textAt(reason, "type") === "worker";

/** Says once what is true of every installation. */
function waitForWorker(all: JsonObject[]): Finding[] {
  const waiting = all.flatMap((one) => objectsAt(one, "healthReasons").filter(lacksWorker).slice(0, 1));
  const since = waiting.map((reason) => textAt(reason, "since") ?? "unknown").toSorted()[0];
  if (since === undefined) return [];
  const detail = `${waiting.length} ${waiting.length === 1 ? "waits" : "wait"} for a process with the role worker (since ${since})`;
  return [
    reportBad(
      "installations",
      detail,
      "Start one (BUSBAR_ROLES), or look at the log of the one that should run.",
    ),
  ];
}

/** What is unhealthy: the installation's id and group, what the reason names, and its words. */
interface Unhealthy {
  id: string;
  group: string;
  name: string;
  detail: string;
}

const REMEDIES: Record<string, (unhealthy: Unhealthy) => string> = {
  connection: ({ name, group }) => reconnect(name, group),
  destination: ({ name, detail }) =>
    detail.startsWith("There is no destination")
      ? `Create it: busbar create destination ${name} --webhook <url>. What waits is sent then.`
      : `Look with: busbar test destination ${name}`,
  field: ({ name, group }) => `Map another field in place of ${name}, or ask ${group} to make it visible.`,
  object: ({ group }) => `Look with: busbar operations --group ${group} --status failure`,
  read: (unhealthy) => lookAtOperation(unhealthy),
  write: (unhealthy) => lookAtOperation(unhealthy, " --status in_progress"),
  subscription: ({ id }) => `Look with: busbar list subscriptions --installation ${id}`,
};

/** The words of a reason name the operation where there is one. */
function lookAtOperation({ detail, group }: Unhealthy, filter = ""): string {
  const operation = /\boperation ([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})\b/.exec(detail)?.[1];
  return operation
    ? `Look with: busbar logs ${operation}`
    : `Look with: busbar operations --group ${group}${filter}`;
}

const reconnect = (provider: string, group: string): string =>
  `The customer has to connect again: busbar connect ${provider} --group ${group}`;

const lookAtApp = (provider: string): string =>
  `Look with: busbar get provider-app ${provider}. The customer need not connect again.`;

function summarize(check: string, all: JsonObject[], faults: Finding[]): Finding[] {
  if (faults.length === 0)
    return [reportGood(check, all.length === 0 ? "none yet" : `${all.length} in order`)];
  const more = faults.length - MAX_LINES;
  if (more <= 0) return faults;
  const rest = reportBad(check, `${more} more are in trouble`, `List them with: busbar list ${check}`);
  return [...faults.slice(0, MAX_LINES), rest];
}
