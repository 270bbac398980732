/** Words what a description states: objects, a first write, how lists are read, limits, errors, and what was checked. */
import type { Connector } from "../../connector-kit/connector.ts";
import { reportsDeletions } from "../../connector-kit/declarative/chosen-list.ts";
import { hasFittedPages } from "../../connector-kit/declarative/fitted-pages.ts";
import type { Description } from "../../connector-kit/declarative/rules/description.ts";
import {
  buildPlans,
  listOthers,
  type Mode,
  type ObjectPlan,
} from "../../connector-kit/declarative/object-plan.ts";
import type { Account } from "../../connector-kit/calls/provider-fetch.ts";
import type { Facts } from "../../connector-kit/facts/facts.ts";
import { isJsonObject } from "../../ground/json.ts";

export function writeDeclarativeSections(
  description: Description,
  connector: Connector,
  facts: Facts | undefined,
): string[] {
  const plans = buildPlans(description, buildShownAccount(description));
  return [
    ...writeObjectSection(plans, description),
    ...describeFirstWrite(plans, connector, buildShownAccount(description)),
    ...limitSection(description, plans, facts),
    ...writeErrorSection(description),
  ];
}

/** Values of the connection are shown by their names. */
const buildShownAccount = (description: Description): Account => ({
  values: Object.fromEntries(
    Array.from(JSON.stringify(description).matchAll(/\{connection\.(\w+)\}/g), ([, name = ""]) => [
      name,
      name,
    ]),
  ),
});

function writeObjectSection(plans: ObjectPlan[], description: Description): string[] {
  const mark = ({ modes }: ObjectPlan, mode: Mode) => (modes.includes(mode) ? "✓" : "");
  return [
    "",
    "## Objects",
    "",
    "| Object | Read | Create | Update | Upsert by | Delete | In one request | Fields | Changes since a time |",
    "|---|---|---|---|---|---|---|---|---|",
    ...plans.map((plan) => {
      const cells = [
        `\`${plan.name}\``,
        mark(plan, "read"),
        mark(plan, "create"),
        mark(plan, "update"),
        plan.upsert?.keys.map((key) => `\`${key}\``).join(", ") ?? "",
        mark(plan, "delete"),
        describeBatch(plan),
        describeFields(plan),
        plan.modes.includes("read") ? describeChanges(plan) : "",
      ];
      return `| ${cells.join(" | ")} |`;
    }),
    ...listOthers(description).flatMap(({ like }) => [
      "",
      `\`${like}\` stands for all objects with names of this form.`,
    ]),
    "",
    "Fields have the provider's names. Where Busbar does not know them, a field that does not exist is refused by the provider.",
  ];
}

/** Returns how many records of a batch one request holds. */
function describeBatch({ batch, modes }: ObjectPlan): string {
  if (!["create", "update", "upsert"].some((mode) => modes.some((one) => one === mode))) return "";
  if (batch?.requests) return `${batch.requests.most} records`;
  const lists = (["create", "update", "upsert"] as const).flatMap((mode) => {
    const rules = batch?.[mode];
    return rules ? [`${mode} ${rules.most}`] : [];
  });
  return lists.length === 0 ? "one record" : lists.join(", ");
}

function describeFields({ metadata }: ObjectPlan): string {
  if (metadata?.list) return "asked of the account";
  return metadata?.fields ? "known" : "";
}

/** A list without a bound is read whole, whether or not its records tell when they changed. */
function describeChanges({ since, changedPath, paging }: ObjectPlan): string {
  if (paging?.cursor?.start) return "the provider selects them";
  if (since?.oldestDays !== undefined)
    return `the provider selects those of ${since.oldestDays} days; before, all pages are compared`;
  if (since?.to !== undefined) return "the provider selects them";
  if (paging?.newestFirst) return "the list has them first, and is read as far as they go";
  return changedPath === undefined
    ? "not told: every read has all records"
    : "all pages are read and compared";
}

function describeFirstWrite(plans: ObjectPlan[], { write }: Connector, account: Account): string[] {
  const plan = plans.find(({ modes, example }) => modes.includes("create") && example !== undefined);
  if (!plan || !write || !isJsonObject(plan.example)) return [];
  const request = write.prepare({
    objectName: plan.name,
    type: "create",
    batch: false,
    allOrNone: false,
    headers: {},
    account,
    records: [{ fields: plan.example }],
  })[0];
  if (!request) return [];
  const body = typeof request.body === "string" ? request.body : JSON.stringify(request.body);
  return [
    "",
    `A create of \`${plan.name}\` with the fields \`${JSON.stringify(plan.example)}\` sends:`,
    "",
    "```http",
    `${request.method} ${request.path}`,
    ...Object.entries(request.headers ?? {}).map(([header, value]) => `${header}: ${value}`),
    "",
    body,
    "```",
    ...listConnectionValues(account),
  ];
}

function listConnectionValues({ values = {} }: Account): string[] {
  const names = Object.keys(values).map((name) => `\`${name}\``);
  return names.length === 0
    ? []
    : ["", `What the connection knows of the account is filled in: ${names.join(", ")}.`];
}

function limitSection({ limits }: Description, plans: ObjectPlan[], facts: Facts | undefined): string[] {
  const sizes = new Set(plans.flatMap(({ list }) => list?.pageSize?.most ?? []));
  const below = plans.filter(({ parent }) => parent);
  // Cursors and addresses can be positions, too: the vendor's material tells it, not the description. Other pages by position overlap.
  const byPosition = plans.filter((plan) => {
    const { name, paging, since } = plan;
    if (since?.keyset || hasFittedPages(plan)) return false;
    return paging?.page ?? paging?.offset?.multiples ?? facts?.objects[name]?.list?.paging.positional;
  });
  return [
    "",
    "## Limits",
    "",
    `* After a rate limit, calls wait as long as \`Retry-After\`${
      limits?.reset === undefined ? "" : ` or \`${limits.reset}\``
    } tells, else ${limits?.waitSeconds ?? "ten"} seconds.`,
    ...(limits?.perSecond === undefined
      ? []
      : [`* Reads of a connection send ${limits.perSecond} requests a second at most.`]),
    ...(sizes.size === 0 ? [] : [`* A page has up to ${[...sizes].join(", ")} records.`]),
    ...describeOverlap(plans),
    ...describeDeletions(plans),
    ...describeFewFields(plans),
    ...(plans.some(({ emptyLeftOut }) => emptyLeftOut)
      ? [
          "* Records have no member for a field without a value: a field that you name, also a box that is not ticked, is then `null` if " +
            "another record has it, on a page of the same read or, for a read of changes or of single records, on the first page of the whole " +
            "list (one more call). A field that none of these has stays absent, and the read's log names it: it may have been renamed or " +
            "deleted, and `null` would wipe what you have of it.",
        ]
      : []),
    ...completeUpdateText(plans),
    ...readEachText(plans),
    "* A search reads up to ten pages and compares them here.",
    ...(byPosition.length === 0
      ? []
      : [
          "* These lists are read by position, so a record can be missed when others are deleted at the same moment: " +
            `${byPosition.map(({ name }) => `\`${name}\``).join(", ")}.`,
        ]),
    ...below.map(
      ({ name, parent }) =>
        `* \`${name}\` are read list by list, one for each of \`${parent?.object}\`: a record that is in several of these lists is delivered as ` +
        "often in one run.",
    ),
  ];
}

function describeOverlap(plans: ObjectPlan[]): string[] {
  const minutes = Math.max(...plans.map(({ since }) => since?.overlapMinutes ?? 0));
  const settling = Math.max(...plans.map(({ since }) => since?.settlingMinutes ?? 0));
  return minutes > 0
    ? [
        `* Records appear late: a scheduled read begins ${minutes} minutes before the last${
          settling > 0 ? `, once an hour ${settling} minutes` : ""
        }, and delivers what is new or changed.`,
      ]
    : [];
}

function describeDeletions(plans: ObjectPlan[]): string[] {
  const lists = plans.flatMap(({ furtherLists = [] }) => furtherLists).filter(({ deleted }) => deleted);
  const { since, most } = lists.find((list) => list.since?.oldestDays !== undefined) ?? {};
  const forbidden = new Set(
    lists.filter(({ mayBeForbidden }) => mayBeForbidden).map(({ list }) => `\`${list?.path}\``),
  );
  return [
    ...describeUnreported(plans),
    ...(since?.oldestDays === undefined
      ? []
      : [
          `* The provider reports deletions of the last ${since.oldestDays} days${
            most === undefined ? "" : `, and ${most} changes at once`
          }: a read says in its log where some may be missing.`,
        ]),
    ...(forbidden.size === 0
      ? []
      : [
          `* Deletions are read from ${[...forbidden].join(", ")}, which not every account may read: a read says in its log where it is forbidden.`,
        ]),
  ];
}

/** Names the objects whose deletions nobody hears of. */
function describeUnreported(plans: ObjectPlan[]): string[] {
  const read = plans.filter(({ modes }) => modes.includes("read"));
  const without = read.filter((plan) => !reportsDeletions(plan));
  if (without.length === 0) return [];
  return without.length === read.length
    ? ["* Deletions are not read: a record that was deleted is not reported."]
    : [`* Deletions of these objects are not read: ${without.map(({ name }) => `\`${name}\``).join(", ")}.`];
}

function describeFewFields(plans: ObjectPlan[]): string[] {
  const most = Math.min(...plans.map(({ select }) => select?.most ?? Number.POSITIVE_INFINITY));
  return Number.isFinite(most)
    ? [
        `* A request names ${most} fields at most. Further fields cost further calls for each page, by the ids of its records.`,
      ]
    : [];
}

/** Returns what an update must have although it does not change it. */
function readEachText(plans: ObjectPlan[]): string[] {
  const each = plans.filter(({ readEach, modes }) => readEach && modes.includes("read"));
  if (each.length === 0) return [];
  const those =
    each.length === plans.length
      ? "Lists"
      : `The lists of ${each.map(({ name }) => `\`${name}\``).join(", ")}`;
  return [`* ${those} have only ids, or records in a short form: each record that is read costs a call.`];
}

function completeUpdateText(plans: ObjectPlan[]): string[] {
  const names = (fields: string[]) => fields.map((name) => `\`${name}\``).join(", ");
  return plans.flatMap(({ name, update, modes }) => {
    const { repeats = [], keeps = [], requires = [] } = (modes.includes("update") && update) || {};
    return [
      ...(keeps.length === 0
        ? []
        : [
            `* The provider replaces ${names(keeps.map(({ at }) => at))} of \`${name}\` as a whole. An update that names some members reads the others first and sends ` +
              "them again, so that a change of them at the same moment is lost; `null` clears one.",
          ]),
      ...(repeats.length === 0
        ? []
        : [
            `* Each update of \`${name}\` must have ${names(repeats)}: what you leave out is read first and sent again, ` +
              "so that a change of it at the same moment is lost.",
          ]),
      ...(requires.length === 0
        ? []
        : [
            `* Each update of \`${name}\` must have ${names(requires)}, which no answer of the provider tells: without it, it is refused.`,
          ]),
    ];
  });
}

function writeErrorSection({ errors }: Description): string[] {
  const codes = Object.entries({ ...errors.codes, ...errors.statuses });
  if (codes.length === 0 && errors.okWhen === undefined) return [];
  return [
    "",
    "## Errors",
    "",
    ...(errors.okWhen === undefined
      ? []
      : [`A refusal may have the status 200: a success has \`${errors.okWhen}\`.`, ""]),
    ...(codes.length === 0
      ? []
      : [
          "| Code or status | Kind |",
          "|---|---|",
          ...codes.map(([code, kind]) => `| \`${code}\` | \`${kind}\` |`),
        ]),
  ];
}
