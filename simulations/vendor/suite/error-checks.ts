/** Checks of refusals: the vendor's reason and code, and every form of a rate limit. */
import { nowMs } from "../../../ground/clock.ts";
import { ProviderError } from "../../../connector-kit/calls/provider-error.ts";
import { getValueAt } from "../../../connector-kit/calls/get-text-at.ts";
import { orderWrite, planRead } from "../../../connector-kit/testing/order-fixture.ts";
import type { Json } from "../../../ground/json.ts";
import { buildRefusal } from "../vendor-answer.ts";
import { expect, buildReader, putRecords, type Check, type Bench } from "./bench.ts";
import { buildPathFields } from "./write-checks.ts";

export function listErrorChecks(bench: Bench): Check[] {
  const { facts, modes } = bench;
  const { errors } = facts;
  if (!errors) return [{ name: "refusals", source: undefined, run: async () => "no facts about refusals" }];
  const ways = (["read", "create"] as const).filter((mode) => modes.includes(mode));
  const ofUpdates = modes.includes("update") ? listOthers(bench, "update") : [];
  const checks = ways.flatMap((way): Check[] => [
    { name: `reason of a refused ${way}`, source: errors.source, run: () => checkReason(bench, way) },
    ...(errors.rateLimits ?? []).map((limit, index) => ({
      name: `rate limit ${index + 1} of a ${way}`,
      source: errors.source,
      run: () => checkRateLimit(bench, way, limit),
    })),
    ...listOthers(bench, way),
  ]);
  return [...checks, ...ofUpdates];
}

type Way = "read" | "create" | "update";

/** Lists the refusals in other words that come to these requests; without `of`, those come to reads and creates. */
const listOthers = (bench: Bench, way: Way): Check[] =>
  (bench.facts.errors?.others ?? []).flatMap((other, index) =>
    other.of === way || (other.of === undefined && way !== "update")
      ? [
          {
            name: `other refusal ${index + 1} of a${way === "update" ? "n" : ""} ${way}`,
            source: other.source,
            run: () => checkOtherRefusal(bench, way, other),
          },
        ]
      : [],
  );

async function findRefusal(bench: Bench, way: Way): Promise<ProviderError> {
  const { objectName, connector, fetch, object } = bench;
  const fields = { name: "x", ...(object.create && buildPathFields(object.create)) };
  try {
    if (way === "read") await buildReader(bench).readPage(planRead(objectName), undefined, fetch);
    else {
      const record = way === "update" ? { id: putRecords(bench, 1)[0]?.id ?? "", fields } : { fields };
      const outcome = (await connector.write?.write(orderWrite(objectName, way, record), fetch))?.outcomes[0];
      if (outcome && !outcome.success) return outcome.error;
    }
  } catch (error) {
    if (error instanceof ProviderError) return error;
    throw error;
  }
  throw new Error("a refusal counts as success");
}

const REASON = "the ünïcode reason";

/** A message that has to quote the whole answer does not know the reason in it. */
const isTold = ({ message, status }: ProviderError): boolean =>
  message.includes(REASON) && !message.includes(`answered ${status}`);

async function checkReason(bench: Bench, way: "read" | "create"): Promise<undefined> {
  const { errors } = bench.facts;
  bench.vendor.next = buildRefusal(bench.facts, 400, REASON);
  const code =
    errors?.code === undefined ? undefined : getValueAt(bench.vendor.next.body as Json, errors.code);
  const error = await findRefusal(bench, way);
  expect(
    isTold(error),
    `the vendor's reason at ${errors?.message} is not told: ${error.message.slice(0, 200)}`,
  );
  if (code !== undefined && code !== null)
    expect(error.code === String(code), `the vendor's code is ${String(code)}; told is ${error.code}`);
  expectField(error, errors?.body as Json, errors?.field);
}

/** Expects that the reason names the field that the vendor names beside it. */
function expectField({ message }: ProviderError, body: Json, path: string | undefined): void {
  if (path === undefined) return;
  const field = String(getValueAt(body, path));
  expect(
    message.includes(field),
    `the field ${field}, which the vendor names, is not told: ${message.slice(0, 200)}`,
  );
}

type OtherRefusal = NonNullable<NonNullable<Bench["facts"]["errors"]>["others"]>[number];

async function checkOtherRefusal(
  bench: Bench,
  way: Way,
  { status, body, code, field, means, headers = {}, waitSeconds }: OtherRefusal,
): Promise<undefined> {
  const { errors } = bench.facts;
  const { status: _, ...usual } = errors ?? { source: "", message: "" };
  const answer = buildRefusal({ ...bench.facts, errors: { ...usual, body } }, status, REASON);
  bench.vendor.next = { ...answer, headers: { ...answer.headers, ...lowerNames(headers) } };
  const error = await findRefusal(bench, way);
  expectWait(error, waitSeconds);
  if (JSON.stringify(body).includes("REASON"))
    expect(isTold(error), `the vendor's reason is not told: ${error.message.slice(0, 200)}`);
  expectField(error, body as Json, field);
  const reported = code === undefined ? undefined : getValueAt(answer.body as Json, code);
  if (reported !== undefined)
    expect(
      error.code === String(reported),
      `the vendor's code is ${String(reported)}; told is ${error.code}`,
    );
  if (means !== undefined)
    expect(
      error.kind === means,
      `${JSON.stringify(body).slice(0, 200)} counts as ${error.kind}, not ${means}`,
    );
}

const lowerNames = (headers: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));

/** Expects the wait that the vendor requested, plus or minus a second. */
function expectWait({ retryAt }: ProviderError, waitSeconds: number | undefined): void {
  if (waitSeconds === undefined) return;
  const seconds = ((retryAt?.getTime() ?? 0) - nowMs()) / 1000;
  expect(
    Math.abs(seconds - waitSeconds) <= 1.5,
    `is tried again in ${retryAt ? Math.round(seconds) : "no told"} seconds; the vendor says ${waitSeconds}`,
  );
}

type RateLimit = NonNullable<NonNullable<Bench["facts"]["errors"]>["rateLimits"]>[number];

async function checkRateLimit(
  bench: Bench,
  way: "read" | "create",
  { status, headers = {}, body, waitSeconds }: RateLimit,
): Promise<undefined> {
  bench.vendor.next = {
    status,
    headers: lowerNames(headers),
    ...(body !== undefined && { body: body as Json }),
  };
  const error = await findRefusal(bench, way);
  expect(error.kind === "rate_limited", `status ${status} with the vendor's body counts as ${error.kind}`);
  expectWait(error, waitSeconds);
}
