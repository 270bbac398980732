/** The metrics of one process. No label names a customer or project, so the number of series is bounded. */
import cluster from "node:cluster";
import { collectDefaultMetrics, Counter, Histogram, Registry } from "@prometheus-io/client";
import type { ProxyMeter } from "../proxy/proxy-server.ts";
import type { ReadMeter } from "../read/run/read-services.ts";
import type { SubscribeMeter } from "../subscribe/definition/subscribe-services.ts";
import type { Database } from "../store/database/database.ts";
import type { OperationLedger } from "../operations/operation-ledger.ts";
import { watchDatabase } from "./watch-database.ts";

export interface Metrics {
  registry: Registry;
  proxy: ProxyMeter;
  /** Returns the ledger with its operations counted. */
  ledger(ledger: OperationLedger): OperationLedger;
  countRefresh(outcome: "refreshed" | "failed"): void;
  onAttempt(state: string): void;
  readMeter: ReadMeter;
  subscribeMeter: SubscribeMeter;
}

/** Seconds: providers usually answer in tenths of a second, but slow reports take minutes. */
const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 120];

export function openMetrics(database: Database): Metrics {
  const registry = new Registry();
  // Without the label, a sum over the processes would fall when one dies, which looks like a restart of all.
  if (cluster.worker) registry.setDefaultLabels({ process: String(cluster.worker.id) });
  collectDefaultMetrics({ register: registry });
  watchDatabase(registry, database);
  return {
    registry,
    proxy: createProxyMeter(registry),
    ...openOperationMeters(registry),
    ...openOtherMeters(registry),
    subscribeMeter: subscribeMeter(registry),
  };
}

function createProxyMeter(registry: Registry): ProxyMeter {
  const registers = [registry];
  const calls = new Histogram({
    name: "busbar_proxy_call_duration_seconds",
    help: "Proxied calls that had a target, by class of the returned status; 4xx includes 499, a caller that disconnected.",
    labelNames: ["status"],
    buckets: BUCKETS,
    registers,
  });
  // Looked up once, because a lookup by label text is too slow for every call.
  const byClass = ["1xx", "2xx", "3xx", "4xx", "5xx"].map((status) => calls.labels({ status }));
  const refusals = new Counter({
    name: "busbar_proxy_refusals_total",
    help: "Proxied calls that Busbar refused itself, by problem type.",
    labelNames: ["type"],
    registers,
  });
  let readDropped = () => 0;
  const dropped = new Counter({
    name: "busbar_proxy_usage_lines_dropped_total",
    help: "Lines of the usage log that were lost because the database was down for too long.",
    registers: [],
    collect() {
      this.reset();
      this.inc(readDropped());
    },
  });
  registry.registerMetric(dropped);
  return {
    called: ({ status, durationMs }) => byClass[Math.floor(status / 100) - 1]?.observe(durationMs / 1_000),
    refused: (type) => refusals.inc({ type }),
    watchDropped: (read) => void (readDropped = read),
  };
}

function openOperationMeters(registry: Registry): Pick<Metrics, "ledger" | "readMeter"> {
  const registers = [registry];
  const accepted = new Counter({
    name: "busbar_writes_accepted_total",
    help: "Accepted write requests, by mode.",
    labelNames: ["mode"],
    registers,
  });
  const ended = new Counter({
    name: "busbar_operations_ended_total",
    help: "Operations that ended in this process, by outcome.",
    labelNames: ["status"],
    registers,
  });
  startAtZero(accepted, ["synchronous", "asynchronous", "collected"]);
  startAtZero(ended, ["success", "failure"]);
  return {
    readMeter: readMeter(registry, (status) => ended.inc({ status })),
    ledger: (ledger) => ({
      ...ledger,
      async begin(operation) {
        await ledger.begin(operation);
        accepted.inc({ mode: "synchronous" });
      },
      async accept(write) {
        await ledger.accept(write);
        accepted.inc({ mode: "asynchronous" });
      },
      async group(write) {
        const id = await ledger.group(write);
        accepted.inc({ mode: "collected" });
        return id;
      },
      async end(operation) {
        await ledger.end(operation);
        ended.inc({ status: operation.status });
      },
      async endLater(operation) {
        await ledger.endLater(operation);
        ended.inc({ status: operation.status });
      },
    }),
  };
}

function readMeter(registry: Registry, ended: ReadMeter["ended"]): ReadMeter {
  const registers = [registry];
  const pages = new Counter({
    name: "busbar_read_pages_total",
    help: "Pages of reads that were stored.",
    registers,
  });
  const records = new Counter({
    name: "busbar_read_records_total",
    help: "Records that were read, by outcome: in a message that is to be delivered (`in_message`), `unchanged` since an earlier one, or `deleted`.",
    labelNames: ["outcome"],
    registers,
  });
  const waits = new Counter({
    name: "busbar_read_waits_total",
    help: "Times that a read had to wait: for its destination, for the provider, or for free daily calls.",
    labelNames: ["reason"],
    registers,
  });
  startAtZero(records, ["in_message", "unchanged", "deleted"]);
  startAtZero(waits, ["destination", "provider", "budget", "credentials"]);
  return {
    pageRead({ delivered, unchanged, deleted }) {
      pages.inc();
      records.inc({ outcome: "in_message" }, delivered);
      records.inc({ outcome: "unchanged" }, unchanged);
      records.inc({ outcome: "deleted" }, deleted);
    },
    waited: (reason) => waits.inc({ reason }),
    ended,
  };
}

function subscribeMeter(registry: Registry): SubscribeMeter {
  const registers = [registry];
  const received = new Counter({
    name: "busbar_subscribe_events_received_total",
    help: "Events that providers pushed: `stored` once per installation, `duplicate` ones, and those that no installation subscribes to; and changes `found` by reading.",
    labelNames: ["outcome"],
    registers,
  });
  const refused = new Counter({
    name: "busbar_subscribe_pushes_refused_total",
    help: "Requests at the address for pushes that were refused, by reason.",
    labelNames: ["reason"],
    registers,
  });
  const ended = new Counter({
    name: "busbar_subscribe_events_ended_total",
    help: "Stored events by what became of them: an entry `in_message`, or one with another event (`coalesced`), `filtered`, or `repeated` what was delivered before.",
    labelNames: ["outcome"],
    registers,
  });
  startAtZero(received, ["stored", "duplicate", "unmatched", "found"]);
  startAtZero(refused, ["signature", "form", "unavailable", "full"]);
  startAtZero(ended, ["in_message", "coalesced", "filtered", "repeated"]);
  return {
    received({ stored, duplicates, unmatched }) {
      received.inc({ outcome: "stored" }, stored);
      received.inc({ outcome: "duplicate" }, duplicates);
      received.inc({ outcome: "unmatched" }, unmatched);
    },
    refused: (reason) => refused.inc({ reason }),
    found: (events) => received.inc({ outcome: "found" }, events),
    ended({ inMessage, coalesced, filtered, repeated }) {
      ended.inc({ outcome: "in_message" }, inMessage);
      ended.inc({ outcome: "coalesced" }, coalesced);
      ended.inc({ outcome: "filtered" }, filtered);
      ended.inc({ outcome: "repeated" }, repeated);
    },
  };
}

function openOtherMeters(registry: Registry): Pick<Metrics, "countRefresh" | "onAttempt"> {
  const registers = [registry];
  const refreshes = new Counter({
    name: "busbar_token_refreshes_total",
    help: "Refreshes of access tokens; `failed` counts those after which the customer must connect again.",
    labelNames: ["outcome"],
    registers,
  });
  const attempts = new Counter({
    name: "busbar_delivery_attempts_total",
    help: "Delivery attempts, by the resulting state of the delivery; `waiting` will be retried.",
    labelNames: ["state"],
    registers,
  });
  startAtZero(refreshes, ["refreshed", "failed"]);
  startAtZero(attempts, ["delivered", "waiting", "failed"]);
  return {
    countRefresh: (outcome) => refreshes.inc({ outcome }),
    onAttempt: (state) => attempts.inc({ state }),
  };
}

/**
 * Reports each series with 0 before the first event: `rate` and `increase` of Prometheus see the difference to the value
 * before, so the event with which a series appears would not be counted, and no alert would report the first failures.
 */
function startAtZero<Label extends string>(counter: Counter<Label>, values: string[]): void {
  for (const value of values) counter.labels(value).inc(0);
}
