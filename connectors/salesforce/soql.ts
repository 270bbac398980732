/** Writes the queries that read Salesforce records. */
import { ProviderError } from "../../connector-kit/calls/provider-error.ts";
import type { ReadPlan } from "../../connector-kit/read-connector.ts";
import { buildChildQuery, isArchived, NOT_DELETED, planAssociations } from "./association-plan.ts";
import { changeColumn } from "./change-column.ts";
import { getName } from "./soql-field.ts";
import { writeComparison } from "./soql-filter.ts";
import { writeTimeLiteral } from "./soql-time.ts";
import type { Query } from "./query-request.ts";
import { findObjectFault } from "./request.ts";

type Asked = Pick<ReadPlan, "objectName" | "associations" | "metadata">;
type Selected = Pick<ReadPlan, "objectName" | "fields" | "associations" | "metadata">;

/**
 * `query` leaves archived records out, also as children, and counts one that is asked for by its id as absent; `queryAll` has
 * them, and deleted ones, which `IsDeleted` leaves out again (SOAP API guide, `queryAll()`).
 */
const hasArchive = (plan: Asked): boolean =>
  isArchived(plan.objectName) || planAssociations(plan).children.some((child) => child.hasArchive === true);

/** Returns the query for records that are not deleted, archived ones included. */
export const recordQuery = (plan: Asked, soql: string): Query => ({
  soql,
  ...(hasArchive(plan) && { withDeleted: true, children: planAssociations(plan).children }),
});

/** Returns why an object cannot be read; undefined if that is not known. */
export function findReadingFault({
  objectName,
  metadata,
}: Pick<ReadPlan, "objectName" | "metadata">): ProviderError | undefined {
  const fault = findObjectFault(objectName);
  if (fault || metadata?.isReadable !== false) return fault;
  return new ProviderError({
    kind: "invalid",
    message: `Salesforce does not let the object \`${objectName}\` be queried`,
  });
}

/**
 * Returns the query of a scan. It goes by id: that order is stable while records change, and many records with one time
 * stamp need no care.
 *
 * @param afterId only records with a greater id
 */
export function scanQuery(plan: ReadPlan, afterId?: string, limit?: number): string {
  const behind = afterId === undefined ? [] : [`Id > '${afterId}'`];
  return selectFrom(plan, [...behind, ...listConditions(plan)], limit);
}

export const countQuery = (plan: ReadPlan): string =>
  `SELECT COUNT() FROM ${plan.objectName}${writeWhere(listConditions(plan))}`;

export const byIdsQuery = (plan: Selected, ids: string[]): string =>
  selectFrom(plan, [`Id IN (${ids.map((id) => `'${id}'`).join(",")})`, ...listLivingConditions(plan)]);

/** Without an order, so that Salesforce may answer with any record. */
export const sampleQuery = (plan: ReadPlan): string =>
  `SELECT ${writeSelection(plan)} FROM ${plan.objectName}${writeWhere([...filterConditions(plan), ...listLivingConditions(plan)])} LIMIT 1`;

const selectFrom = (plan: Selected, tests: string[], limit?: number): string =>
  `SELECT ${writeSelection(plan)} FROM ${plan.objectName}${writeWhere(tests)} ORDER BY Id` +
  (limit === undefined ? "" : ` LIMIT ${limit}`);

const writeWhere = (tests: string[]): string => (tests.length > 0 ? ` WHERE ${tests.join(" AND ")}` : "");

function writeSelection(plan: Selected): string {
  const { objectName, fields, metadata } = plan;
  const { parents, children } = planAssociations(plan);
  const column = changeColumn(objectName, metadata);
  const names = ["Id", ...(column ? [column] : []), ...fields, ...parents.map(({ fieldName }) => fieldName)];
  const distinct = new Map(names.map((name) => [name.toLowerCase(), name]));
  return [
    ...[...distinct.values()].map((name) => getName(name, metadata)),
    ...children.map((child) => buildChildQuery(child, hasArchive(plan))),
  ].join(",");
}

const listConditions = (plan: ReadPlan): string[] => [
  ...listTimeConditions(plan),
  ...filterConditions(plan),
  ...listLivingConditions(plan),
];

/** Records of objects without `IsDeleted`, such as User, are never deleted. */
function listLivingConditions(plan: Asked): string[] {
  const { metadata } = plan;
  const canBeDeleted = metadata === undefined || Object.hasOwn(metadata.fields, "IsDeleted");
  return hasArchive(plan) && (canBeDeleted || isArchived(plan.objectName)) ? [NOT_DELETED] : [];
}

const filterConditions = ({ filters, metadata }: ReadPlan): string[] =>
  filters.map((filter) => writeComparison(filter, metadata));

/** Both bounds are inclusive. */
function listTimeConditions({ objectName, metadata, since, until }: ReadPlan): string[] {
  const column = changeColumn(objectName, metadata);
  if (column === undefined) return [];
  return [
    ...(since ? [`${column} >= ${writeTimeLiteral(since)}`] : []),
    ...(until ? [`${column} <= ${writeTimeLiteral(until)}`] : []),
  ];
}
