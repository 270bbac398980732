/** Faults of how lists are read: paging, bounds that move, further lists, deleted records, lists below parents, lists of fields. */
import type { ProviderFault } from "../../provider/check-provider.ts";
import type { ObjectRules, Description } from "../rules/description.ts";
import { findTargetFault, toFaults, HOLES, findPathFault } from "./member-faults.ts";
import { type ObjectPlan, mergeRules } from "../object-plan.ts";
import type { PagingRules } from "../rules/paging-rules.ts";
import type { FieldListRules, FlagRules, MetadataRules } from "../rules/metadata-rules.ts";

type FurtherList = NonNullable<ObjectRules["furtherLists"]>[number];

const STYLES = ["cursor", "nextUrl", "link", "page", "offset", "keyset", "none"] as const;

/** Faults of one way of paging. */
export function findPagingFaults(paging: PagingRules, path: string): ProviderFault[] {
  const { shortPageEnds, depth, keyset, newestFirst } = paging;
  const styles = STYLES.filter((style) => paging[style] !== undefined && paging[style] !== false);
  const flags = [paging.cursor, paging.page, paging.offset, keyset];
  const isCounted = paging.page ?? paging.offset ?? keyset;
  return [
    ...(styles.length === 1 ? [] : toFaults(path, `must have exactly one of ${STYLES.join(", ")}`)),
    ...flags.flatMap((flag) =>
      [flag?.more, flag?.last, flag && "next" in flag ? flag.next : undefined].filter(Boolean).length > 1
        ? toFaults(path, "has several of more, last and next: keep the one that the provider documents")
        : [],
    ),
    ...(["page", "offset"] as const).flatMap((style) =>
      /^header\.(?!Link$)/i.test(paging[style]?.next ?? "")
        ? toFaults(`${path}.${style}.next`, "must be header.Link, or a path in the body of an answer")
        : [],
    ),
    ...(shortPageEnds && !isCounted
      ? toFaults(
          `${path}.shortPageEnds`,
          "is for page, offset and keyset: the others end where no next page is named",
        )
      : []),
    ...(keyset?.template !== undefined && !keyset.template.includes("{id}")
      ? toFaults(`${path}.keyset.template`, "must contain {id}")
      : []),
    ...(newestFirst && !(paging.page ?? paging.offset)
      ? toFaults(`${path}.newestFirst`, "is for page and offset")
      : []),
    ...(depth && !((depth.records ?? 0) > 0 || (depth.pages ?? 0) > 0)
      ? toFaults(`${path}.depth`, "needs records or pages, greater than 0")
      : []),
  ];
}

const ZONE_WITHOUT_SQL = "needs format sql: other formats name their zone";

/** Faults of the members around the lists of an object. */
export function findObjectListFaults(
  { since, furtherLists = [], deleted, records }: ObjectRules,
  path: string,
): ProviderFault[] {
  return [
    ...toFaults(`${path}.records`, findRecordsFault(records)),
    ...toFaults(`${path}.since.records`, findRecordsFault(since?.records)),
    ...(since?.full !== undefined && Number.isNaN(Date.parse(since.full))
      ? toFaults(`${path}.since.full`, "must be a time such as 1970-01-01T00:00:00Z")
      : []),
    ...(since?.list && since.path !== undefined
      ? toFaults(`${path}.since.path`, "goes into since.list, which is there, too")
      : []),
    ...(since?.zone === "user" && since.format !== "sql"
      ? toFaults(`${path}.since.zone`, ZONE_WITHOUT_SQL)
      : []),
    ...(deleted?.at === "" ? toFaults(`${path}.deleted.at`, "is empty") : []),
    ...furtherLists.flatMap((list, index) => {
      const place = `${path}.furtherLists.${index}`;
      return [
        ...toFaults(`${place}.path`, findPathFault(list.path, [...HOLES, "parent"])),
        ...toFaults(`${place}.list.path`, findPathFault(list.list?.path, [...HOLES, "parent"])),
        ...(list.list && (list.path !== undefined || list.query || list.body)
          ? toFaults(`${place}.list`, "has path, query and body of its own: they go into it")
          : []),
        ...(list.path === undefined && !list.query && !list.body && !list.list && list.records === undefined
          ? toFaults(place, "needs path, query, body, list or records: otherwise it is the same list again")
          : []),
        ...toFaults(`${place}.records`, findRecordsFault(list.records)),
        ...findDeletedOnlyFaults(list, place),
        ...(list.idPath !== undefined && !list.list
          ? toFaults(
              `${place}.idPath`,
              "needs a list of its own: the records of the other have the id at idPath",
            )
          : []),
        ...toFaults(
          `${place}.since.to`,
          findTargetFault(list.since?.to, ["query", "body", "header", "fill"]),
        ),
        ...(list.since?.template !== undefined && !list.since.template.includes("{since}")
          ? toFaults(`${place}.since.template`, "must contain {since}")
          : []),
        ...(list.since?.zone === "user" && list.since.format !== "sql"
          ? toFaults(`${place}.since.zone`, ZONE_WITHOUT_SQL)
          : []),
        ...(list.since?.until !== undefined && list.since.zone === "user"
          ? toFaults(
              `${place}.since.until`,
              "cannot be used with zone user: the end would be too early where the zone is unknown",
            )
          : []),
        ...toFaults(`${place}.since.until`, findTargetFault(list.since?.until, ["query", "body", "header"])),
        ...(list.since && !list.list ? toFaults(`${place}.since`, "needs a list of its own") : []),
        ...(list.most !== undefined && !(list.deleted && list.paging?.none)
          ? toFaults(`${place}.most`, "is for deleted records in one answer: deleted: true and paging.none")
          : []),
        ...(list.paging ? findPagingFaults(list.paging, `${place}.paging`) : []),
      ];
    }),
  ];
}

/** Faults of members that only a list of deleted records has. */
function findDeletedOnlyFaults(
  { deleted, newestFirst, mayBeForbidden, mayBeBack }: FurtherList,
  place: string,
): ProviderFault[] {
  if (deleted) return [];
  const reasons = {
    ...(newestFirst && { newestFirst: "other lists have paging.newestFirst" }),
    ...(mayBeForbidden && {
      mayBeForbidden: "a list of records that is not read would lack them silently",
    }),
    ...(mayBeBack && { mayBeBack: "only deletions are about records that may be back" }),
  };
  return Object.entries(reasons).flatMap(([member, reason]) =>
    toFaults(`${place}.${member}`, `needs deleted: true: ${reason}`),
  );
}

/** Returns what is wrong with the path of a list of records. */
const findRecordsFault = (records = ""): string | undefined =>
  records.includes("*") && !/^[^*]+\.\*\.[^*]+$/.test(records)
    ? "has * in another form than outer.*.members, which joins the lists of all entries of outer"
    : undefined;

/** Faults that show only with the defaults: a list whose rows move while it is read by position, a bound that cannot move. */
export function listExampleFaults(plan: ObjectPlan, path: string): ProviderFault[] {
  const { since, changedPath, list, parent } = plan;
  if (!plan.modes.includes("read")) return [];
  if (since?.keyset) {
    const place = `${path}.since.keyset`;
    return [
      ...(since.to === undefined ? toFaults(place, "needs since.to, where the bound goes") : []),
      ...(changedPath === undefined
        ? toFaults(place, "needs changedPath, the time that the bound is taken from")
        : []),
      ...(since.zone === "user"
        ? toFaults(
            place,
            "cannot be used with zone user: the bound would move back at each page. Use paging.keyset",
          )
        : []),
      ...((since.paging ?? plan.paging)?.none
        ? toFaults(place, "needs a paging for records of one time")
        : []),
    ];
  }
  if (plan.paging?.newestFirst && (changedPath === undefined || since?.to !== undefined))
    return toFaults(
      `${path}.paging.newestFirst`,
      changedPath === undefined
        ? "needs changedPath, the time that the list is sorted by"
        : "cannot be used with since.to: the list itself is read as far as it has changed",
    );
  const least = findFittedFaults(plan, path);
  if (changedPath === undefined || parent) return least;
  const full = findSortParameter({ ...list?.query }, changedPath);
  const bounded = findSortParameter(
    { ...since?.list?.query, ...since?.query, template: since?.template ?? "" },
    changedPath,
  );
  return [
    ...least,
    ...(full !== undefined && isByPosition(plan.paging) ? toFaults(`${path}.list.query.${full}`, MOVES) : []),
    ...(bounded !== undefined && isByPosition(since?.paging ?? plan.paging)
      ? toFaults(`${path}.since.${bounded}`, MOVES)
      : []),
  ];
}

/** Smaller pages have no room for records of the one before at each place. */
const LEAST_FITTED = 20;

/** Faults of pages whose size is chosen. */
function findFittedFaults({ list, paging }: ObjectPlan, path: string): ProviderFault[] {
  const { most = 0 } = list?.pageSize ?? {};
  const member = paging?.page?.anySize ? "page.anySize" : paging?.offset?.multiples && "offset.multiples";
  if (!member || most >= LEAST_FITTED) return [];
  return toFaults(
    `${path}.paging.${member}`,
    list?.pageSize
      ? `is for pages of ${LEAST_FITTED} records or more, and list.pageSize.most is ${most}`
      : "needs list.pageSize: the size of each page is chosen",
  );
}

const MOVES =
  "sorts the list by the time of change, and paging counts records: one that changes moves the others, and some are never read. " +
  "Use since.keyset, paging.keyset, or another order";

/** Links and addresses of next pages usually count records as well. */
const isByPosition = ({ page, offset, link, newestFirst }: PagingRules = {}): boolean =>
  !newestFirst && Boolean(page ?? offset ?? link);

/** Returns the parameter that sorts by the time of change, if one does. */
function findSortParameter(query: Record<string, string>, changedPath: string): string | undefined {
  const name = changedPath.split(".").at(-1) ?? changedPath;
  const sorts = (parameter: string, value: string): boolean =>
    /sort|order/i.test(`${parameter} ${value}`) && value.toLowerCase().includes(name.toLowerCase());
  return Object.entries(query).find(([parameter, value]) => sorts(parameter, value))?.[0];
}

/** A parent, the parent of that one, and one above both. */
const DEEPEST = 3;

/** Faults of lists below the records of another object. */
export function findChildrenFaults(
  description: Description,
  plan: ObjectPlan,
  path: string,
): ProviderFault[] {
  const { parent, list, total } = plan;
  const isNamed = JSON.stringify(list ?? {}).includes("{parent}");
  if (!parent) return isNamed ? toFaults(`${path}.list`, "has {parent}, but there is no parent") : [];
  return [
    ...toFaults(`${path}.parent.object`, findParentFault(description, plan)),
    ...(isNamed ? [] : toFaults(`${path}.list`, "has no {parent}, which parent fills")),
    ...(total === undefined ? [] : toFaults(`${path}.total`, "is that of one list, and there are many")),
  ];
}

function findParentFault(description: Description, plan: ObjectPlan): string | undefined {
  let name = plan.parent?.object;
  for (let depth = 0; name !== undefined; depth += 1) {
    const rules = Object.hasOwn(description.objects, name) ? description.objects[name] : undefined;
    if (!rules) return `names no object: ${JSON.stringify(name)}`;
    const above = mergeRules(description, name, rules);
    if (!above.modes.includes("read")) return `names ${name}, which cannot be read`;
    if (depth === DEEPEST) return `leads to more than ${DEEPEST} objects, one below the other`;
    name = above.parent?.object;
  }
  return undefined;
}

/** Faults of how the fields of an object are found. */
export function findMetadataFaults({ fields, list }: MetadataRules, path: string): ProviderFault[] {
  return [
    ...(!list && Object.keys(fields ?? {}).length === 0
      ? toFaults(path, "needs fields or list: otherwise the object would have no field")
      : []),
    ...(list ? findFieldListFaults(list, `${path}.list`) : []),
  ];
}

function findFieldListFaults(list: FieldListRules, path: string): ProviderFault[] {
  const flags: [string, FlagRules | undefined][] = [
    ...(list.skip ?? []).map((flag, index): [string, FlagRules] => [`skip[${index}]`, flag]),
    ["custom", list.custom],
    ["readOnly", list.readOnly],
    ["required", list.required],
  ];
  return [
    ...toFaults(`${path}.path`, findPathFault(list.path, ["path", "singular"])),
    ...(list.paging ? findPagingFaults(list.paging, `${path}.paging`) : []),
    ...(list.name === "" ? toFaults(`${path}.name`, "must be a path") : []),
    ...(Object.keys(list.types).length === 0 ? toFaults(`${path}.types`, "has no type") : []),
    ...flags.flatMap(([member, flag]) => (flag ? toFaults(`${path}.${member}`, findFlagFault(flag)) : [])),
  ];
}

function findFlagFault({ paths, is, isNot }: FlagRules): string | undefined {
  if (paths.length === 0) return "needs paths";
  const values = is ?? isNot ?? [];
  return values.length > 0 && !(is && isNot) ? undefined : "needs values in one of is and isNot";
}
