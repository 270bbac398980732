/** Checks why installations are unhealthy. What many share, such as a dead receiver, is said once. */
import { listObjectsAt, requireObjects, getTextAt, type JsonObject } from "../http/json.ts";
import type { Connected } from "../settings/connect.ts";
import { cureReason, isMissing, lookAtApp, type Unhealthy } from "./cures.ts";
import { reportBad, summarize, type Finding } from "./finding.ts";

interface Fault extends Unhealthy {
  since: string;
  /** The installation's connection. */
  connectionId: string;
  connectionStatus: string;
}

/** `named` are the checks whose faults other findings have named already, such as `destination app`. */
export async function checkInstallations(
  deps: Pick<Connected, "inProject">,
  named: ReadonlySet<string>,
): Promise<Finding[]> {
  const all = requireObjects(await deps.inProject("GET", "/installations"));
  const faults = all.flatMap(listFaults);
  const own = faults.filter((fault) => !named.has(nameCause(fault)));
  const missing = own.filter(({ type, detail }) => type === "destination" && isMissing(detail));
  const findings = [
    ...waitForWorker(all),
    ...reportMissing(missing),
    ...own.filter((fault) => !missing.includes(fault)).map(reportFault),
  ];
  const elsewhere = count(faults, (fault) => named.has(nameCause(fault)) || missing.includes(fault));
  if (elsewhere === 0) return summarize("installations", all, findings);
  const detail = `${elsewhere} of ${all.length} ${elsewhere === 1 ? "is" : "are"} unhealthy for what is named above`;
  const rest = reportBad("installations", detail, "Mend that first, then: busbar doctor");
  return [...(findings.length > 0 ? summarize("installations", all, findings) : []), rest];
}

function listFaults(installation: JsonObject): Fault[] {
  const at = (path: string): string => getTextAt(installation, path) ?? "";
  return listObjectsAt(installation, "healthReasons")
    .filter((reason) => !lacksWorker(reason))
    .map((reason) => ({
      id: at("id"),
      group: at("group.groupRef"),
      type: getTextAt(reason, "type") ?? "",
      name: getTextAt(reason, "name") ?? "",
      detail: getTextAt(reason, "detail") ?? "",
      since: getTextAt(reason, "since") ?? "unknown",
      connectionId: at("connection.id"),
      connectionStatus: at("connection.status"),
    }));
}

/** Returns the name that the checks of destinations and connections give it. */
const nameCause = ({ type, name, connectionId }: Fault): string =>
  `${type} ${type === "connection" ? connectionId : name}`;

const count = (faults: Fault[], matches: (fault: Fault) => boolean): number =>
  new Set(faults.filter(matches).map(({ id }) => id)).size;

function reportFault(fault: Fault): Finding {
  const { id, group, type, name, detail, since, connectionStatus } = fault;
  return reportBad(
    `installation ${id}`,
    `${group}, ${type} ${name}: ${detail} (since ${since})`,
    type === "connection" && connectionStatus !== "bad_credentials" ? lookAtApp(name) : cureReason(fault),
  );
}

/** One finding for each destination. */
function reportMissing(faults: Fault[]): Finding[] {
  return [...new Set(faults.map(({ name }) => name))].map((name) => {
    const waiting = faults.filter((fault) => fault.name === name);
    const since = waiting.map((fault) => fault.since).toSorted()[0] ?? "unknown";
    const many = waiting.length === 1 ? "1 installation" : `${waiting.length} installations`;
    const [first] = waiting;
    const detail = `${first?.detail ?? ""} (since ${since}, for ${many})`;
    return reportBad(`destination ${name}`, detail, first ? cureReason(first) : "");
  });
}

const lacksWorker = (reason: JsonObject): boolean => getTextAt(reason, "type") === "worker";

/** Says once what is true of every installation. */
function waitForWorker(all: JsonObject[]): Finding[] {
  const waiting = all.flatMap((one) => listObjectsAt(one, "healthReasons").filter(lacksWorker).slice(0, 1));
  const since = waiting.map((reason) => getTextAt(reason, "since") ?? "unknown").toSorted()[0];
  if (since === undefined) return [];
  const detail = `${waiting.length} ${waiting.length === 1 ? "waits" : "wait"} for a process with the role worker (since ${since})`;
  const cure = "Start one (BUSBAR_ROLES), or look at the log of the one that should run.";
  return [reportBad("installations", detail, cure)];
}
