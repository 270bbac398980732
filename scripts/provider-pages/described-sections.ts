/** Words what a description states: objects, a first write, how lists are read, limits, errors, and what was checked. */
import type { Connector } from "../../connector-kit/connector.ts";
import type { Description } from "../../connector-kit/described/description.ts";
import { merged, type Mode, type ObjectPlan } from "../../connector-kit/described/object-plan.ts";
import { isJsonObject } from "../../server/ground/json.ts";

export function describedSections(name: string, description: Description, connector: Connector): string[] {
  const plans = Object.entries(description.objects).map(([object, rules]) =>
    merged(description, object, rules),
  );
  return [
    ...objectSection(plans, connector),
    ...firstWrite(plans, connector),
    ...limitSection(description, plans),
    ...errorSection(description),
    ...checkedSection(name, description),
  ];
}

function objectSection(plans: ObjectPlan[], { fields, write }: Connector): string[] {
  const mark = ({ modes }: ObjectPlan, mode: Mode) => (modes.includes(mode) ? "✓" : "");
  const limit = write?.abilities.batchLimit;
  return [
    "",
    "## Objects",
    "",
    "| Object | Read | Create | Update | Upsert by | Delete | Changes since a time |",
    "|---|---|---|---|---|---|---|",
    ...plans.map((plan) => {
      const keys = plan.upsert?.keys.map((key) => `\`${key}\``).join(", ") ?? "";
      const cells = [
        `\`${plan.name}\``,
        mark(plan, "read"),
        mark(plan, "create"),
        mark(plan, "update"),
        keys,
        mark(plan, "delete"),
        plan.modes.includes("read") ? changes(plan) : "",
      ];
      return `| ${cells.join(" | ")} |`;
    }),
    "",
    `Fields have the provider's names. ${
      fields
        ? "Busbar knows the fields of an object."
        : "Busbar does not ask the provider for its fields: a field that does not exist is refused by the provider."
    }`,
    limit === undefined
      ? "Each record of a batch is a request of its own."
      : `A batch is sent with up to ${limit} records in one request.`,
  ];
}

/** A list without a bound is read whole, whether or not its records tell when they changed. */
function changes({ since, changedPath }: ObjectPlan): string {
  if (since?.to !== undefined) return "the provider selects them";
  return changedPath === undefined
    ? "not told: every read has all records"
    : "all pages are read and compared";
}

function firstWrite(plans: ObjectPlan[], { write }: Connector): string[] {
  const plan = plans.find(({ modes, example }) => modes.includes("create") && example !== undefined);
  if (!plan || !write || !isJsonObject(plan.example)) return [];
  const [request] = write.prepare({
    objectName: plan.name,
    type: "create",
    batch: false,
    allOrNone: false,
    headers: {},
    records: [{ fields: plan.example }],
  });
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
  ];
}

function limitSection({ limits }: Description, plans: ObjectPlan[]): string[] {
  const sizes = new Set(plans.flatMap(({ list }) => list?.pageSize?.most ?? []));
  const byPosition = plans.filter(({ paging }) => paging?.page ?? paging?.offset);
  return [
    "",
    "## Limits",
    "",
    `* After a rate limit, calls wait as long as \`Retry-After\`${
      limits?.reset === undefined ? "" : ` or \`${limits.reset}\``
    } tells, else ten seconds.`,
    ...(limits?.perSecond === undefined
      ? []
      : [`* Reads of a connection send ${limits.perSecond} requests a second at most.`]),
    ...(sizes.size === 0 ? [] : [`* A page has up to ${[...sizes].join(", ")} records.`]),
    "* A search reads up to ten pages and compares them here.",
    ...(byPosition.length === 0
      ? []
      : [
          "* These lists are read by position, so a record can be missed when others are deleted at the same moment: " +
            `${byPosition.map(({ name }) => `\`${name}\``).join(", ")}.`,
        ]),
  ];
}

function errorSection({ errors }: Description): string[] {
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

const checkedSection = (name: string, { sources }: Description): string[] => [
  "",
  "## Checked",
  "",
  `${sources.checked}. The provider's documentation: <${sources.documentation}>.`,
  "",
  `With an account, \`npm run probe -- ${name}\` [compares the provider's answers with the`,
  "description](../guide/checking-providers.md).",
];
