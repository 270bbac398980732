/** A Busbar that delivers, with short times, a receiver beside it, and a way to make events happen. */
import { openTestBusbar, type TestBusbar } from "../busbar.ts";
import { createLog } from "../../../ground/log.ts";
import type { Database } from "../../../server/store/database/database.ts";
import { openDatabase } from "../../../server/store/database/open-database.ts";
import type { EventType, NewEvent } from "../../../server/events/event-types.ts";
import { sampleEvent } from "../../../server/events/sample-event.ts";
import { recordEvents } from "../../../server/events/record-event.ts";
import { openSink, type Sink } from "./sink.ts";
import { until } from "../until.ts";
import { openBoth, replacePool } from "../two-databases.ts";
import { sideRoles } from "../side-roles.ts";

export interface Delivering {
  busbar: TestBusbar;
  sink: Sink;
  database: Database;
  /** Records sample events in one transaction, numbered in `consumerName` from 0. */
  happens(type: EventType, count?: number): Promise<void>;
  /** Lists the deliveries of a destination, newest first. */
  // oxlint-disable-next-line typescript/no-explicit-any
  listDeliveries(name: string): Promise<any[]>;
  /** The destination's deliveries as soon as as many have this status. */
  // oxlint-disable-next-line typescript/no-explicit-any
  untilStatus(name: string, status: string, count?: number): Promise<any[]>;
  close(): Promise<void>;
}

const SHORT_TIMES = {
  BUSBAR_WEBHOOK_RETRY_SECONDS: "0.05,0.05,0.1",
  // Long: a message whose answer a busy machine reads too late is sent again.
  BUSBAR_WEBHOOK_TIMEOUT_SECONDS: "60",
  BUSBAR_WEBHOOK_DISABLE_AFTER_SECONDS: "1",
  BUSBAR_MINUTE_MS: "100",
};

export async function openDelivering(env: Record<string, string> = {}): Promise<Delivering> {
  const sink = await openSink();
  const busbar = await openTestBusbar({ env: { ...SHORT_TIMES, ...env } });
  const { connectionString, dataUrl, projectId } = busbar;
  const opened = await openDatabase({
    connectionString,
    log: createLog("silent"),
    poolSize: 2,
    dataUrl,
    openBoth,
    sideRoles: sideRoles(),
  });
  const database = replacePool(opened);
  const listDeliveries = async (name: string) =>
    (await busbar.inProject("GET", `/destinations/${name}/deliveries?pageSize=200`)).body.results;
  return {
    busbar,
    sink,
    database,
    listDeliveries,
    happens: (type, count = 1) =>
      database.queries.transaction().execute((queries) =>
        recordEvents(
          queries,
          Array.from({ length: count }, (_, index) => numberEvent(sampleEvent(type, projectId), index)),
        ),
      ),
    untilStatus: (name, status, count = 1) =>
      until(async () => {
        const list = await listDeliveries(name);
        return list.filter((one: { status: string }) => one.status === status).length >= count && list;
      }),
    async close() {
      await database.close();
      await busbar.stop();
      await sink.close();
    },
  };
}

const numberEvent = (event: NewEvent, index: number): NewEvent =>
  ({ ...event, data: { ...event.data, consumerName: String(index) } }) as NewEvent;
