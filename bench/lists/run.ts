/**
 * Measures the lists that the dashboard shows, through the API, in a project with many rows. See bench/README.md.
 *
 *     node bench/lists/run.ts [--quick]
 */
import { openTestBusbar } from "../../tests/harness/busbar.ts";
import { signIn } from "../../tests/harness/people.ts";
import { fillWithRows } from "./many-rows.ts";

const quick = process.argv.includes("--quick");
const ROWS = quick ? 10_000 : 100_000;
const CUSTOMERS = quick ? 1_000 : 10_000;
const CALLS = 9;
const GOAL_MS = 300;

const NOWHERE = "text=occurs-nowhere";
/** Paths below the project, with the filters that are measured. */
const LISTS: Readonly<Record<string, readonly string[]>> = {
  operations: [
    "",
    "status=failure",
    "status=in_progress",
    "integration=hubspot",
    "groupRef=customer-777",
    "object=contacts",
    "text=customer-777",
    NOWHERE,
  ],
  groups: ["", "healthStatus=unhealthy", "text=customer-777", NOWHERE],
  "connections:search": ["", "status=bad_credentials", "groupRef=customer-777", "text=customer-777", NOWHERE],
  "installations:search": ["", "healthStatus=unhealthy", "integration=hubspot", "text=customer-777", NOWHERE],
  events: ["", "type=connection.updated", "groupRef=customer-777", "nowhere=true", NOWHERE],
  "deliveries:search": [
    "",
    "status=failed",
    "status=waiting",
    "type=connection.created",
    "groupRef=customer-777",
  ],
  "destinations/my-app/deliveries": ["", "status=failed", "type=connection.created"],
  "proxy-calls": ["", "status=4xx", "status=5xx", "path=occurs-nowhere", "groupRef=customer-777"],
  requests: ["", "status=5xx", NOWHERE],
  destinations: [""],
  integrations: [""],
  topics: [""],
  "api-keys": [""],
  find: ["q=customer-777", "q=4711", "q=01890000-0000-7000-8000-000000000000"],
  activity: ["operations", "deliveries", "proxyCalls"].flatMap((of) => [
    `of=${of}&${formatLastDays(1)}`,
    `of=${of}&${formatLastDays(30)}`,
  ]),
};

function formatLastDays(days: number): string {
  const end = performance.timeOrigin + performance.now();
  const time = (ms: number) => new Date(ms).toISOString();
  return `since=${time(end - days * 86_400_000)}&until=${time(end)}`;
}

const busbar = await openTestBusbar();
await fillWithRows(busbar, ROWS, CUSTOMERS);
const person = { ...(await signIn(busbar)), "x-api-key": "" };
const audit = `/v1/orgs/${busbar.server.bootstrap?.orgId}/audit-events`;
const calls = [
  ...Object.entries(LISTS).flatMap(([path, filters]) =>
    filters.map((filter) => ({ path: `/v1/projects/default/${path}`, filter, headers: {} })),
  ),
  ...["", "operationId=deleteProject", "target=d77"].map((filter) => ({
    path: audit,
    filter,
    headers: person,
  })),
];
console.log(`${ROWS} rows of each kind, ${CUSTOMERS} customers; median and slowest of ${CALLS} calls in ms`);
const medians: number[] = [];
for (const { path, filter, headers } of calls) {
  const took: number[] = [];
  for (let call = 0; call <= CALLS; call++) {
    const start = performance.now();
    const { status, text } = await busbar.call("GET", `${path}?${filter}`, undefined, headers);
    if (status !== 200) throw new Error(`${path}?${filter}: ${text}`);
    // The first call plans its statements.
    if (call > 0) took.push(performance.now() - start);
  }
  took.sort((one, other) => one - other);
  const median = took[Math.floor(CALLS / 2)] ?? 0;
  medians.push(median);
  const list = `${path.replace(/^.*\/(default|orgs\/[^/]+)\//, "")} ${filter.slice(0, 40)}`;
  console.log(`${list.padEnd(72)} ${median.toFixed(0).padStart(5)} ${took.at(-1)?.toFixed(0).padStart(5)}`);
}
await busbar.stop();
const slow = medians.filter((median) => median >= GOAL_MS).length;
console.log(`${slow} of ${medians.length} took ${GOAL_MS} ms or more`);
process.exitCode = slow > 0 ? 1 : 0;
