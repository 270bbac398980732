/** Logs of a simulated vendor that tell deletions apart from the records. */
import type { JsonObject } from "../../ground/json.ts";
import { nowMs } from "../../ground/clock.ts";
import type { Facts, ListFact, LogFact } from "../../connector-kit/facts/facts.ts";
import { buildListAnswer, type VendorAnswer } from "./vendor-answer.ts";
import { listRequestFaults } from "./vendor-checks.ts";
import { readBound } from "./vendor-listed.ts";
import { chooseOrder } from "./vendor-order.ts";
import { cutPage, TOKEN_NAME, type PageTokens } from "./vendor-pages.ts";
import { setAtPath, type VendorRecord, type VendorRecords } from "./vendor-records.ts";
import { readText, type VendorRequest } from "./vendor-request.ts";
import { readPlaceholders } from "./vendor-routes.ts";
import { readTime, writeTime } from "./vendor-times.ts";

interface LogWorld {
  facts: Facts;
  records: VendorRecords;
  connection: Record<string, string>;
  tokens: PageTokens;
  /** Entries of a page at most, whatever size is asked for. */
  mostEntries: number | undefined;
  url: string;
}

interface SeenLog {
  objectName?: string;
  boundMs?: number;
  sizeText?: string;
  fieldsText?: string;
  isLast?: boolean;
}

interface Log {
  objectName: string;
  fact: LogFact;
}

/** Answers a request for a log; undefined for another request. A sentence tells why it is refused. */
export function answerLog(
  world: LogWorld,
  request: VendorRequest,
  seen: SeenLog,
): VendorAnswer | string | undefined {
  const logs = Object.entries(world.facts.objects).flatMap(([objectName, { deletions: fact }]): Log[] =>
    fact && fact.method === request.method && readPlaceholders(fact.path, request, world.connection)
      ? [{ objectName, fact }]
      : [],
  );
  // `lead` is contained in `task.lead`, too: the choice that says the most is meant.
  const [chosen] = logs
    .filter(({ fact }) => isChosen(fact, request))
    .toSorted((a, b) => countChoiceLength(b.fact) - countChoiceLength(a.fact));
  const { fact, objectName } = chosen ?? logs[0] ?? {};
  if (!fact || objectName === undefined) return undefined;
  const list = toList(fact);
  const own = request.query.some(([name]) => name === TOKEN_NAME) ? [TOKEN_NAME] : [];
  const [fault] = listRequestFaults(list, request, own, world.connection);
  if (fault !== undefined) return fault;
  seen.objectName = objectName;
  const bound = readBound(list, request, seen);
  if (typeof bound === "string") return bound;
  const size = fact.paging.size === undefined ? undefined : readText(request, fact.paging.size);
  if (size !== undefined) seen.sizeText = size;
  const fields = fact.fields && readText(request, fact.fields.to);
  if (fields !== undefined) seen.fieldsText = fields;
  const until = fact.since.until && readTime(readText(request, fact.since.until) ?? "", fact.since.format);
  const entries = listEntries(world.records, logs, chosen)
    .map((record) => ({ ...record, id: toOwnId(fact, record.id) }))
    .filter(({ changedMs }) => bound === undefined || changedMs >= bound)
    .filter(({ changedMs }) => changedMs >= computeOldestMs(fact))
    .filter(({ changedMs }) => until === undefined || until === "" || changedMs <= until);
  const { tokens, mostEntries, url } = world;
  const order = chooseOrder(list, request);
  const page = cutPage(
    { fact: list, order, depth: undefined, tokens, usualSize: undefined, most: mostEntries },
    request,
    entries,
  );
  if (typeof page === "string") return page;
  seen.isLast = fact.paging.more !== undefined && !page.more;
  const shown = page.records.map((entry) => showEntry(fact, entry, fields));
  return buildListAnswer(list, page, shown, { url: url + request.path, request });
}

/** Returns the log as a list, whose entries are its records. */
function toList({ sort, ...fact }: LogFact): ListFact {
  const { source, method, path, query, openQuery, headers, body, closedBody, encoding, success } = fact;
  const { until: _, keptDays: __, ...since } = fact.since;
  return {
    source,
    method,
    path,
    success,
    records: fact.records,
    paging: fact.paging,
    since,
    ...(sort && { sort }),
    ...(query && { query }),
    ...(openQuery && { openQuery }),
    ...(headers && { headers }),
    ...(body && { body }),
    ...(closedBody && { closedBody }),
    ...(encoding && { encoding }),
    ...(fact.envelope && { envelope: fact.envelope }),
    ...(fact.fields && { fields: { to: fact.fields.to } }),
  };
}

const computeOldestMs = ({ since: { keptDays } }: LogFact): number =>
  keptDays === undefined ? 0 : nowMs() - keptDays * 86_400_000;

const squeezeSpaces = (text: string): string => text.replace(/\s+/g, "");

const isChosen = ({ chosenBy }: LogFact, request: VendorRequest): boolean =>
  chosenBy.every(({ at, has }) => squeezeSpaces(readText(request, at) ?? "").includes(squeezeSpaces(has)));

const countChoiceLength = ({ chosenBy }: LogFact): number => chosenBy.map(({ has }) => has).join("").length;

/** A request that does not choose its entries also gets those about records that are still there. */
const listEntries = (records: VendorRecords, logs: Log[], chosen: Log | undefined): VendorRecord[] =>
  chosen
    ? records.removed.filter(({ objectName }) => objectName === chosen.objectName).map(({ record }) => record)
    : logs.flatMap(({ objectName }) => records.of(objectName));

const OWN = "own_";
const toOwnId = ({ ownId }: LogFact, id: string): string => (ownId === undefined ? id : OWN + id);

function showEntry(
  { entry, id, ownId, time, timeFormat }: LogFact,
  record: VendorRecord,
  fields: string | undefined,
): JsonObject {
  const shown = structuredClone(entry as JsonObject);
  setAtPath(shown, id, ownId === undefined ? record.id : record.id.slice(OWN.length));
  if (ownId !== undefined) setAtPath(shown, ownId, record.id);
  setAtPath(shown, time, writeTime(record.changedMs, timeFormat));
  if (fields === undefined) return shown;
  const named = fields.split(",");
  return Object.fromEntries(Object.entries(shown).filter(([name]) => named.includes(name)));
}
