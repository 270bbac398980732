/** `busbar trace contacts 502 --group globex`: follows one record from the customer's account to the receiver. */
import type { Command } from "commander";
import { Failure, UsageFailure } from "../failures.ts";
import { encodeObjectPath, encodeStep } from "../http/api.ts";
import { Refused } from "../http/refused.ts";
import { listObjectsAt, requireObject, getTextAt, getValueAt, type JsonObject } from "../http/json.ts";
import type { Columns } from "../output/column.ts";
import { escapeUnsafe } from "../output/printable.ts";
import { findInstallation, buildInstallationPath } from "../resources/find-installation.ts";
import { id, prose, status, text, time, type Filters } from "../resources/resource.ts";
import { connect, type Connected } from "../settings/connect.ts";
import type { Terminal } from "../terminal.ts";
import { addFilters } from "./resource-options.ts";

const SEEN: Columns = {
  TIME: time("time"),
  BY: text("by"),
  CHANGED: time("changeTime"),
  OUTCOME: status("outcome"),
  REASON: prose("reason"),
  MESSAGE: id("messageId"),
};

const MESSAGES: Columns = {
  MESSAGE: id("messageId"),
  DESTINATION: text("destination"),
  STATUS: status("status"),
  ANSWERS: (row) =>
    listObjectsAt(row, "attempts")
      .map((attempt) => String(getValueAt(attempt, "status") ?? getTextAt(attempt, "detail") ?? ""))
      .join(", "),
};

const WRITES: Columns = {
  TIME: time("time"),
  TYPE: text("type"),
  STATUS: status("status"),
  OPERATION: id("operationId"),
};

export function addTrace(program: Command, terminal: Terminal): void {
  const trace = program
    .command("trace <object> <recordId>")
    .description(
      "show where a record was seen, why it was left out, what its receivers answered, and writes to it",
    );
  addFilters(trace, "group", "integration", "installation")
    .addHelpText(
      "after",
      "\nThe object by its name at the provider or your own. With --group alone, in all its installations.",
    )
    .action(async (object: string, recordId: string, filters: Filters, command: Command) => {
      const server = await connect(command, terminal);
      const { out } = server;
      const path = `/records/${encodeObjectPath(object)}/${encodeStep(recordId)}`;
      const { traces, unseen, names } = await findTraces(server, filters, path);
      const [first, ...others] = traces;
      if (!first) throw new UsageFailure("Name the customer: give --group, or --installation.");
      if (out.json) return out.data(others.length > 0 ? traces : first);
      for (const found of traces) {
        if (others.length + unseen.length > 0)
          out.line(names.get(getTextAt(found, "installationId") ?? "") ?? "");
        out.rows(listObjectsAt(found, "seen"), SEEN, "It was neither read nor reported.");
        out.rows(listObjectsAt(found, "messages"), MESSAGES, "No message contains it.");
        out.rows(listObjectsAt(found, "writes"), WRITES, "Nobody wrote it through Busbar.");
        for (const obstacle of listObjectsAt(found, "obstacles")) {
          out.line(`${out.paint.yellow("!")} ${escapeUnsafe(getTextAt(obstacle, "detail") ?? "")}`);
          out.line(`    ${out.paint.blue("→")} ${escapeUnsafe(getTextAt(obstacle, "remedy") ?? "")}`);
        }
      }
      for (const { installationId, refusal } of unseen) {
        out.line(names.get(installationId) ?? "");
        out.line(escapeUnsafe(refusal.message));
        for (const cause of listCauses(refusal)) out.line(`  - ${escapeUnsafe(cause)}`);
      }
    });
}

interface Found {
  traces: JsonObject[];
  /** Installations that have the object and know nothing of the record, with what keeps it away. */
  unseen: { installationId: string; refusal: Refused }[];
  /** How the installations are called, by id. */
  names: Map<string, string>;
}

/** Returns the traces in the installations that the options name. Throws the refusal that says most if there is none. */
async function findTraces(server: Connected, filters: Filters, path: string): Promise<Found> {
  const { group, integration, installation } = filters;
  const places: Place[] =
    group !== undefined && integration === undefined && installation === undefined
      ? await listPlaces(server, group)
      : [{ path: await findInstallation(server, filters), id: "", name: "" }];
  const found: Found = {
    traces: [],
    unseen: [],
    names: new Map(places.map((place) => [place.id, place.name])),
  };
  const withoutObject: Found["unseen"] = [];
  for (const place of places) {
    try {
      found.traces.push(requireObject(await server.inProject("GET", place.path + path)));
    } catch (error) {
      if (!(error instanceof Refused) || error.status !== 404 || places.length === 1) throw error;
      // Others say only that their integration has no such object.
      const isOfRecord = getValueAt(error.problem, "causes") !== undefined;
      (isOfRecord ? found.unseen : withoutObject).push({ installationId: place.id, refusal: error });
    }
  }
  if (found.traces.length > 0) return found;
  const unseen = found.unseen.length > 0 ? found.unseen : withoutObject;
  const [first, ...others] = unseen;
  if (first && others.length === 0) throw first.refusal;
  if (first) throw joinRefusals({ ...found, unseen });
  // The server's refusal of an unknown customer suggests the one that was meant.
  await server.inProject("GET", `/groups/${encodeStep(group ?? "")}`);
  throw new Failure(`The customer \`${group ?? ""}\` has no installation.`);
}

const listCauses = ({ problem }: Refused): string[] => {
  const causes = getValueAt(problem, "causes");
  return Array.isArray(causes) ? causes.filter((cause) => typeof cause === "string") : [];
};

/** Joins the refusals into one, which has the type of each and the causes of all; these are printed behind the message. */
function joinRefusals({ unseen, names }: Found): Failure {
  const message = unseen
    .map(({ installationId, refusal }) => `${names.get(installationId) ?? ""}: ${refusal.message}`)
    .join("\n");
  const problem = { ...unseen[0]?.refusal.problem, detail: message };
  const causes = unseen.flatMap(({ installationId, refusal }) =>
    listCauses(refusal).map((cause) => `${names.get(installationId) ?? ""}: ${cause}`),
  );
  return new Refused(404, { ...problem, causes }, message);
}

interface Place {
  path: string;
  id: string;
  /** For the reader. */
  name: string;
}

async function listPlaces(server: Connected, groupRef: string): Promise<Place[]> {
  const page = await server.inProject("GET", "/installations:search", {
    query: { groupRef, pageSize: "200" },
  });
  return listObjectsAt(page, "results").map((one) => {
    const installationId = getTextAt(one, "id") ?? "";
    return {
      path: buildInstallationPath(getTextAt(one, "integrationId") ?? "", installationId),
      id: installationId,
      name: `installation of ${getTextAt(one, "integrationName") ?? ""} ${installationId}`,
    };
  });
}
