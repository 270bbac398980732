/** Checks a description and reports every fault with its place, before anything is sent to a provider. */
import { isJsonObject } from "../../../ground/json.ts";
import { findShapeFaults, type ProviderFault } from "../../provider/check-provider.ts";
import { findPatternFault } from "../../provider/pattern-fault.ts";
import { DescriptionSchema, type Description, type ObjectRules } from "../rules/description.ts";
import { mergeRules, type ObjectPlan, isOther, listOthers } from "../object-plan.ts";
import { planBatchFaults, writeFaults } from "./write-faults.ts";
import {
  findMetadataFaults,
  findChildrenFaults,
  findObjectListFaults,
  findPagingFaults,
  listExampleFaults,
} from "./list-faults.ts";
import { toFaults, HOLES, findPathFault, findTargetFault, findTextFault } from "./member-faults.ts";
import { listFilledNames } from "../fill-path.ts";
import { findEndpointFaults, findGraphqlFaults } from "./graphql-faults.ts";

type DescriptionCheck =
  | { description: Description; faults: [] }
  | { description: undefined; faults: ProviderFault[] };

/** Returns the description if it is complete and consistent, or every fault in it. */
export function checkDescription(value: unknown, path = "connector"): DescriptionCheck {
  const shape = findShapeFaults(DescriptionSchema, value, path);
  if (shape.length > 0 || !isDescription(value)) return { description: undefined, faults: shape };
  const faults = [
    ...findIdPatternFaults(value.ids?.pattern, `${path}.ids.pattern`),
    ...findEndpointFaults(value, path),
    ...findRulesFaults(value.defaults, `${path}.defaults`),
  ];
  for (const [index, others] of listOthers(value).entries()) {
    const place = index === 0 ? `${path}.others` : `${path}.others.further.${index - 1}`;
    const plan = mergeRules(value, others.like, others.rules);
    faults.push(
      ...findOthersFaults(others, place),
      ...findRulesFaults(others.rules, `${place}.rules`),
      ...planFaults(plan, `${place}.rules`),
      ...findChildrenFaults(value, plan, `${place}.rules`),
    );
  }
  if (Object.keys(value.objects).length === 0 && !value.others)
    faults.push({ path: `${path}.objects`, message: "has no object" });
  for (const [name, rules] of Object.entries(value.objects)) {
    const place = `${path}.objects.${name}`;
    if (!/^[A-Za-z][A-Za-z0-9_/-]{0,99}$/.test(name))
      faults.push({ path: place, message: "is not a name of an object" });
    faults.push(...findRulesFaults(rules, place), ...planFaults(mergeRules(value, name, rules), place));
    faults.push(...findChildrenFaults(value, mergeRules(value, name, rules), place));
    faults.push(...findGraphqlFaults(value, mergeRules(value, name, rules).graphql, `${place}.graphql`));
  }
  return faults.length > 0 ? { description: undefined, faults } : { description: value, faults: [] };
}

const isDescription = (value: unknown): value is Description => isJsonObject(value);

function findIdPatternFaults(text: string | undefined, place: string): ProviderFault[] {
  if (text === undefined) return [];
  const refused = findPatternFault(text, true);
  if (refused !== undefined) return toFaults(place, refused);
  const pattern = new RegExp(`^(?:${text})$`);
  const unsafe = ["..", "a/b", "a?b", "a#b", ""].find((word) => pattern.test(word));
  return unsafe === undefined
    ? []
    : toFaults(place, `matches ${JSON.stringify(unsafe)}, which would change a path`);
}

/** Names that would lead to another address. */
const UNSAFE = ["", ".", "..", "../a", "a/../b", "a//b", "/a", "a?b", "a#b", "a%2fb", "a b"];

/** Faults of objects whose names only the account knows. */
function findOthersFaults(others: ReturnType<typeof listOthers>[number], path: string): ProviderFault[] {
  const refused = findPatternFault(others.pattern, true);
  if (refused !== undefined) return toFaults(`${path}.pattern`, refused);
  const unsafe = UNSAFE.find((name) => isOther(others, name));
  return [
    ...(unsafe === undefined
      ? []
      : toFaults(`${path}.pattern`, `matches ${JSON.stringify(unsafe)}, which would change a path`)),
    ...(isOther(others, others.like) ? [] : toFaults(`${path}.like`, "does not match the pattern")),
  ];
}

/** Faults of single members. */
function findRulesFaults(rules: ObjectRules, path: string): ProviderFault[] {
  const { list, since, paging, select, metadata } = rules;
  const listTargets: [string, string | undefined][] = [
    ["paging.cursor.to", paging?.cursor?.to],
    ["paging.page.to", paging?.page?.to],
    ["paging.offset.to", paging?.offset?.to],
    ["paging.keyset.to", paging?.keyset?.to],
  ];
  return [
    ...writeFaults(rules, path),
    ...listTargets.flatMap(([member, value]) =>
      toFaults(`${path}.${member}`, findTargetFault(value, ["query", "body", "fill"])),
    ),
    ...toFaults(
      `${path}.list.pageSize.to`,
      findTargetFault(list?.pageSize?.to, ["query", "body", "header", "fill"]),
    ),
    ...findTextFaults(rules, path),
    ...findIdPatternFaults(rules.idPattern, `${path}.idPattern`),
    ...toFaults(`${path}.get.path`, findPathFault(rules.get?.path)),
    ...toFaults(`${path}.list.path`, findPathFault(list?.path, [...HOLES, "parent"])),
    ...toFaults(`${path}.since.path`, findPathFault(since?.path, [...HOLES, "parent"])),
    ...toFaults(`${path}.since.to`, findTargetFault(since?.to, ["query", "body", "header", "fill"])),
    ...toFaults(`${path}.select.to`, findTargetFault(select?.to)),
    ...(select?.to.startsWith("body.") && (list?.method ?? "GET") === "GET"
      ? [{ path: `${path}.select.to`, message: "must be query.<name>, because the list has no body" }]
      : []),
    ...findSelectFault(rules, path),
    ...(list?.body && (list.method ?? "GET") === "GET"
      ? [{ path: `${path}.list.body`, message: "needs another method than GET" }]
      : []),
    ...(paging ? findPagingFaults(paging, `${path}.paging`) : []),
    ...findObjectListFaults(rules, path),
    ...(metadata ? findMetadataFaults(metadata, `${path}.metadata`) : []),
    ...(since?.paging ? findPagingFaults(since.paging, `${path}.since.paging`) : []),
    ...(since?.template !== undefined && !since.template.includes("{since}")
      ? [{ path: `${path}.since.template`, message: "must contain {since}" }]
      : []),
    ...(list?.pageSize?.template?.includes("{size}") === false
      ? [{ path: `${path}.list.pageSize.template`, message: "must contain {size}" }]
      : []),
    ...(list?.pageSize && (list.pageSize.most < 1 || list.pageSize.most > 10_000)
      ? [{ path: `${path}.list.pageSize.most`, message: "must be between 1 and 10000" }]
      : []),
  ];
}

/** Faults of texts with values of the connection. */
function findTextFaults(
  { list, create, update, delete: remove }: ObjectRules,
  path: string,
): ProviderFault[] {
  const places = Object.entries({
    "list.query": list?.query,
    "create.also": create?.also,
    "update.also": update?.also,
    "delete.also": remove?.also,
  });
  return places.flatMap(([place, texts]) =>
    Object.entries(texts ?? {}).flatMap(([name, value]) =>
      toFaults(`${path}.${place}.${name}`, findTextFault(value)),
    ),
  );
}

/** Faults of how many fields one request may name. */
function findSelectFault({ select, list, flatten }: ObjectRules, path: string): ProviderFault[] {
  const { most, ids, optional } = select ?? {};
  const place = `${path}.select`;
  return [
    ...((most === undefined) === (ids === undefined)
      ? []
      : toFaults(place, "needs most and ids, or neither")),
    ...toFaults(`${place}.ids.to`, findTargetFault(ids?.to, ["query"])),
    ...(most !== undefined && most < 3 ? toFaults(`${place}.most`, "must be at least 3") : []),
    ...(optional && (most !== undefined || !select?.to.startsWith("query."))
      ? toFaults(`${place}.optional`, "is for names in the query, without most")
      : []),
    ...(ids && ids.most < 1 ? toFaults(`${place}.ids.most`, "must be at least 1") : []),
    ...(most !== undefined && (flatten !== undefined || (list?.method ?? "GET") !== "GET")
      ? toFaults(
          `${place}.most`,
          "is for lists by GET whose records have their fields beside the id, without flatten",
        )
      : []),
  ];
}

/** Faults of the rules of one object together with the defaults. */
function planFaults(plan: ObjectPlan, path: string): ProviderFault[] {
  const { list: read, create, update, delete: remove, upsert } = plan;
  const needs = { read, create, update, delete: remove, upsert };
  return [
    ...listExampleFaults(plan, path),
    ...plan.modes.flatMap((mode) =>
      needs[mode]
        ? []
        : [
            {
              path,
              message: `can be used for ${mode}, but has no ${mode === "read" ? "list" : mode}; if the API cannot do this, leave ${mode} out of modes, which are by default read, create, update and delete`,
            },
          ],
    ),
    ...(plan.modes.includes("read") && !plan.paging
      ? [
          {
            path,
            message:
              "is read, but has no paging: say how a list goes on, or paging: { none: true } if one answer has all records",
          },
        ]
      : []),
    ...(["update", "delete"] as const).flatMap((mode) => {
      const rules = plan[mode];
      const named = rules && (rules.path.includes("{id}") || ("idTo" in rules && rules.idTo !== undefined));
      return !plan.modes.includes(mode) || !rules || named
        ? []
        : [{ path: `${path}.${mode}`, message: "says nowhere where the id goes: {id} in path, or idTo" }];
    }),
    ...planBatchFaults(plan, path),
    ...(plan.typedValues && plan.flatten === undefined
      ? [{ path: `${path}.typedValues`, message: "needs flatten, which names the member with the fields" }]
      : []),
    ...(plan.readEach && !plan.get
      ? [{ path: `${path}.readEach`, message: "needs get, which reads the record" }]
      : []),
    ...(plan.typedValues?.writes && !plan.metadata?.list
      ? [{ path: `${path}.typedValues.writes`, message: "needs metadata.list, which tells the types" }]
      : []),
    ...listFilledNames(plan).flatMap((name) =>
      Object.values(read?.query ?? {}).some((value) => value.includes(`{${name}}`))
        ? []
        : [{ path: `${path}.list.query`, message: `has no {${name}}, which fill.${name} fills` }],
    ),
    ...(["update", "delete"] as const).flatMap((mode) =>
      plan.modes.includes(mode) && plan[mode]?.readBefore && !plan.get
        ? [{ path: `${path}.${mode}.readBefore`, message: "needs get, which reads the record" }]
        : [],
    ),
    ...(["repeats", "keeps"] as const).flatMap((member) =>
      plan.modes.includes("update") && plan.update?.[member] && (!plan.get || plan.batch?.update)
        ? [
            {
              path: `${path}.update.${member}`,
              message: "needs get, which reads the record, and no batch.update",
            },
          ]
        : [],
    ),
    ...(plan.flattenBy !== undefined && !(plan.flatten !== undefined && plan.typedValues?.single)
      ? [{ path: `${path}.flattenBy`, message: "needs flatten and typedValues with single" }]
      : []),
    ...(plan.get && !plan.graphql && !plan.get.path.includes("{id}") && plan.get.idTo === undefined
      ? [{ path: `${path}.get.path`, message: "must contain {id}" }]
      : []),
  ];
}
