/** The state of this Busbar: version, addresses, limits, processes. */
import { Type } from "typebox";
import { VERSION } from "../../../ground/version.ts";
import { endpoint, route, type Route } from "../../http/endpoint.ts";
import type { Database } from "../../store/database/database.ts";
import { readQueueDepths } from "../../store/processes/queue-depths.ts";
import { listProcesses } from "../../store/processes/running-processes.ts";
import { describeTime } from "../../../ground/described.ts";

export const listSystemRoutes = (deps: SystemServices): Route[] => [
  route("GET /v1/system", "full", getSystem(deps)),
];

/** Addresses under which clients reach this Busbar. */
interface Addresses {
  base: string;
  write: string;
  read: string;
  search: string;
  proxy: string;
  dashboard: string;
}

interface SystemServices {
  database: Database;
  urls: () => Addresses;
  startTime: Date;
  config: {
    operationRetentionDays: number;
    eventRetentionDays: number;
    usageRetentionDays: number;
    requestRetentionDays: number;
    auditRetentionDays: number;
  };
}

const days = (what: string) => Type.Number({ description: `Days for which ${what} are kept.` });
const address = (what: string) => Type.String({ description: `Address of ${what}.` });

const ProcessSchema = Type.Object(
  {
    id: Type.Integer({ description: "Number of the process." }),
    version: Type.String({ description: "Its version: during an upgrade, processes of two versions run." }),
    roles: Type.Array(Type.Enum(["api", "proxy", "worker"]), { description: "What it does." }),
    startTime: describeTime("When it started."),
    lastSeenTime: describeTime("When it announced itself last; it does so every ten seconds."),
  },
  { title: "SystemProcess", description: "A process of this Busbar." },
);

const QueueSchema = Type.Object(
  {
    name: Type.Enum(["writes", "deliveries", "reads"], { description: "What waits." }),
    waiting: Type.Integer({ description: "Number of entries that wait or are under way, at most 100,000." }),
  },
  { title: "SystemQueue", description: "A queue of all projects together." },
);

const SystemSchema = Type.Object(
  {
    version: Type.String({ description: "Version of the process that answers." }),
    startTime: describeTime("When the process that answers started."),
    processes: Type.Array(ProcessSchema, {
      description: "Processes that run on the same database; a killed one disappears after a minute.",
    }),
    queues: Type.Array(QueueSchema, { description: "Work that is not done yet." }),
    retention: Type.Object(
      {
        operationDays: days("ended operations and their logs"),
        eventDays: days("events and deliveries"),
        usageDays: days("proxied calls"),
        requestDays: days("refused requests"),
        auditDays: days("entries of the audit"),
      },
      { description: "How long rows are kept." },
    ),
    urls: Type.Object(
      {
        base: address("the API"),
        write: address("the write API"),
        read: address("the read API"),
        search: address("the search API"),
        proxy: address("the proxy"),
        dashboard: address("the dashboard"),
      },
      { description: "Public addresses." },
    ),
    shards: Type.Optional(
      Type.Array(
        Type.Object({
          name: Type.String({ description: "Its name." }),
          isAway: Type.Boolean({ description: "Whether this process cannot use its database." }),
          since: Type.Optional(describeTime("Since when.")),
          reason: Type.Optional(Type.String({ description: "Why." })),
        }),
        { description: "Databases with the data of customers. Absent if there is only the main one." },
      ),
    ),
  },
  { title: "System", description: "This Busbar: version, processes, queues and addresses." },
);

const toShard = ({ shard: name, trouble }: Database) => ({
  name,
  isAway: trouble !== undefined,
  ...(trouble && { since: trouble.since.toISOString(), reason: trouble.reason }),
});

const getSystem = (deps: SystemServices) =>
  endpoint({
    operationId: "getSystem",
    tag: "Health",
    summary: "Get the state of this Busbar",
    description: "Version, processes, queues, retention times and public addresses.",
    success: { status: 200, description: "The state.", schema: SystemSchema },
    async handle() {
      const { database } = deps;
      const [processes, depths] = await Promise.all([
        listProcesses(database.control),
        readQueueDepths(database),
      ]);
      const { config } = deps;
      return {
        version: VERSION,
        startTime: deps.startTime.toISOString(),
        processes: processes.map(({ id, version, roles, startTime, lastSeenTime }) => ({
          id,
          version,
          roles: roles.filter((role) => role === "api" || role === "proxy" || role === "worker"),
          startTime: startTime.toISOString(),
          lastSeenTime: lastSeenTime.toISOString(),
        })),
        queues: [
          { name: "writes" as const, waiting: depths.writes },
          { name: "deliveries" as const, waiting: depths.deliveries },
          { name: "reads" as const, waiting: depths.reads },
        ],
        retention: {
          operationDays: config.operationRetentionDays,
          eventDays: config.eventRetentionDays,
          usageDays: config.usageRetentionDays,
          requestDays: config.requestRetentionDays,
          auditDays: config.auditRetentionDays,
        },
        urls: deps.urls(),
        ...(database.shards.length > 1 && { shards: database.shards.map(toShard) }),
      };
    },
  });
