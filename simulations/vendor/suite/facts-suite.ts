/** Compares a connector with a vendor that is simulated from facts, and reports each check; it needs no test runner. */
import type { ProviderFetch } from "../../../connector-kit/calls/provider-fetch.ts";
import { ProviderError } from "../../../connector-kit/calls/provider-error.ts";
import { withAccount } from "../../../connector-kit/calls/with-account.ts";
import { Vendor } from "../vendor.ts";
import { now } from "../../../ground/clock.ts";
import { listErrorChecks } from "./error-checks.ts";
import { listReadChecks } from "./read-checks.ts";
import { openGraphqlSide } from "../graphql/graphql-side.ts";
import { addBodies } from "../graphql/schema-bodies.ts";
import {
  type Bench,
  type Check,
  type CheckResult,
  expect,
  putRecords,
  scanAll,
  type Subject,
} from "./bench.ts";
import { readSchema } from "./facts-subject.ts";
import { listBatchChecks } from "./batch-checks.ts";
import { changeChecks } from "./change-checks.ts";
import { listCodeChecks } from "./code-checks.ts";
import { listLogChecks } from "./log-checks.ts";
import { listWriteChecks } from "./write-checks.ts";
import { readMessage } from "../../../ground/errors.ts";

/** Runs the checks of one object: all of them or, if one result is enough, until that one. */
export async function checkObject(
  subject: Subject,
  objectName: string,
  isEnough: (result: CheckResult) => boolean = () => false,
): Promise<CheckResult[]> {
  const { provider, account, promised, headers } = subject;
  const sdl = subject.sdl ?? readSchema(subject.facts);
  const facts = sdl === undefined ? subject.facts : addBodies(subject.facts, sdl);
  const object = Object.hasOwn(facts.objects, objectName) ? facts.objects[objectName] : undefined;
  if (!object)
    return [
      { objectName, check: "facts", state: "unverified", message: `there are no facts about ${objectName}` },
    ];
  const vendor = new Vendor(facts, {
    connection: account.values ?? {},
    ...(sdl !== undefined && { graphql: openGraphqlSide(sdl) }),
  });
  const connector = withAccount(subject.connector, account);
  const modes = promised[objectName] ?? [];
  const bench: Bench = {
    provider,
    facts,
    account,
    connector,
    vendor,
    objectName,
    object,
    modes,
    fetch: openFetch(vendor, headers),
  };
  const results: CheckResult[] = [];
  for (const check of [
    ...listReadChecks(bench),
    ...changeChecks(bench),
    ...listLogChecks(bench),
    ...listWriteChecks(bench),
    ...listBatchChecks(bench),
    ...listLinkChecks(bench),
    ...listCodeChecks(bench),
    ...listErrorChecks(bench),
    ...listDeprecationChecks(bench),
  ]) {
    vendor.clear();
    const result = { objectName, ...(await runCheck(bench, check)) };
    results.push(result);
    if (isEnough(result)) break;
  }
  return results;
}

/** Checks that documents use nothing deprecated; at the end, for everything that was sent. */
const listDeprecationChecks = ({ facts, vendor }: Bench): Check[] =>
  facts.graphql === undefined
    ? []
    : [
        {
          name: "nothing that the vendor gives up",
          source: facts.graphql.source,
          run: async () =>
            expect(vendor.deprecated.size === 0, [...vendor.deprecated].join(" ")) as undefined,
        },
      ];

async function runCheck(
  bench: Bench,
  { name, source, run }: Check,
): Promise<Omit<CheckResult, "objectName">> {
  try {
    const missing = await run();
    return missing === undefined
      ? { check: name, state: "passed" }
      : { check: name, state: "unverified", message: missing };
  } catch (error) {
    return { check: name, state: "failed", message: buildFailure(bench, name, source, error) };
  }
}

/** Builds the message with provider, object, fact and source. */
function buildFailure(
  { provider, objectName, vendor, facts }: Bench,
  name: string,
  source: string | undefined,
  error: unknown,
): string {
  const said = readMessage(error);
  const refused = vendor.seen.findLast(({ fault }) => fault !== undefined);
  const why = refused ? ` The vendor refused ${refused.method} ${refused.target}: ${refused.fault}.` : "";
  const [key = ""] = (source ?? "").split("#");
  const { repository, url, file, version, date } = facts.sources[key] ?? {};
  const from = [repository ?? url, file, version, date].filter((part) => part !== undefined).join(", ");
  const kind = error instanceof ProviderError ? ` (${error.kind})` : "";
  return `${provider} ${objectName}, ${name}: ${said}${kind}.${why} Source of the fact: ${from === "" ? "none" : from}`;
}

/** Limit of requests, which no check needs. */
const MAX_REQUESTS = 3_000;

/** Opens a fetch to the simulated vendor. */
const openFetch =
  (vendor: Vendor, fixed: Record<string, string>): ProviderFetch =>
  async ({ method, path, headers, body }) => {
    const text = typeof body === "string" || body === undefined ? (body ?? "") : JSON.stringify(body);
    const sent = { ...(text !== "" && { "content-type": "application/json" }), ...fixed, ...headers };
    const names = Object.fromEntries(
      Object.entries(sent).map(([name, value]) => [name.toLowerCase(), value]),
    );
    if (vendor.seen.length > MAX_REQUESTS) throw new Error("asks without end");
    const answer = vendor.answer({ method, target: path, headers: names, body: text });
    // A text is no JSON: some vendors refuse in plain text.
    const isText = typeof answer.body === "string";
    const answered = {
      date: now().toUTCString(),
      "content-type": isText ? "text/plain" : "application/json",
      ...answer.headers,
    };
    return {
      path: path.split("?")[0] ?? "",
      status: answer.status,
      headers: answered,
      text: answer.body === undefined ? "" : isText ? String(answer.body) : JSON.stringify(answer.body),
    };
  };

/** Lists the checks of links between records: all of them are read, however many requests that takes. */
function listLinkChecks(bench: Bench): Check[] {
  const { links } = bench.object;
  if (!links) return [];
  const { source } = links;
  return [
    { name: "links", source, run: () => allLinks(bench, links.objects[0] ?? "") },
    { name: "links of many records", source, run: () => checkManyLinks(bench, links.objects[0] ?? "") },
  ];
}

/** Checks links in several answers, and records with one and with none. */
async function allLinks(bench: Bench, to: string): Promise<undefined> {
  const linked = ["90071992547409931", "90071992547409932", "90071992547409933"];
  const [first] = putRecords(bench, 1, { links: { [to]: linked } });
  const [second] = putRecords(bench, 1, { links: { [to]: ["7"] } });
  const [third] = putRecords(bench, 1);
  const { records } = await scanAll(bench, { associations: [to] });
  const find = (id: string | undefined) =>
    records.find((record) => record.id === id)?.associations?.[to]?.map((one) => one.id) ?? [];
  expect(
    find(first?.id).join() === linked.join(),
    `of ${linked.join()}, ${find(first?.id).join() || "none"} is told`,
  );
  expect(find(second?.id).join() === "7", `of 7, ${find(second?.id).join() || "none"} is told`);
  expect(find(third?.id).length === 0, `of none, ${find(third?.id).join()} is told`);
  const metadata = records.find(({ id }) => id === second?.id)?.associations?.[to]?.[0]?.metadata;
  const { link } = bench.object.links ?? {};
  const types = JSON.stringify(link).match(/"typeId":\d+/)?.[0];
  expect(
    types === undefined || JSON.stringify(metadata ?? {}).includes(types),
    `what the vendor says about a link is not told: ${JSON.stringify(metadata)}`,
  );
}

async function checkManyLinks(bench: Bench, to: string): Promise<undefined> {
  const most = bench.object.links?.most ?? 0;
  const records = putRecords(bench, most > 200 ? 250 : most + 1, { links: { [to]: ["7"] } });
  const found = await scanAll(bench, { associations: [to] });
  const without = found.records.filter(({ associations }) => associations?.[to]?.[0]?.id !== "7");
  expect(
    found.records.length === records.length && without.length === 0,
    `${without.length} records have no link`,
  );
}
