/** Decides how the associated records of a Salesforce object are read: by a reference, or by a query within the query. */
import type { ObjectMetadata } from "../../connector-kit/fields.ts";
import type { ReadPlan } from "../../connector-kit/read-connector.ts";
import { buildRefusedField } from "../../connector-kit/calls/build-refused-field.ts";

/** The record refers to the associated one. */
interface ParentAssociation {
  name: string;
  fieldName: string;
}

/** The associated records, or records that connect with them, refer to the record. */
export interface ChildAssociation {
  name: string;
  relationshipName: string;
  /** The object of the children, as far as it is known. */
  objectName?: string;
  /** The field of the child that holds the associated id. */
  idField: string;
  /** Whether Salesforce archives the children. */
  hasArchive?: boolean;
  /** Whether the children have no mark of deletion, because they are never deleted. */
  isNeverDeleted?: boolean;
}

/** Whether Salesforce archives records of an object, which it does with activities about a year after their date. */
export const isArchived = (objectName: string): boolean => /^(task|event)$/i.test(objectName);

interface AssociationPlan {
  parents: ParentAssociation[];
  children: ChildAssociation[];
}

/** Objects whose records only connect two others. By object, then by associated object. */
const JUNCTIONS: Record<string, Record<string, { relationshipName: string; idField: string }>> = {
  opportunity: { contact: { relationshipName: "OpportunityContactRoles", idField: "ContactId" } },
  campaign: {
    contact: { relationshipName: "CampaignMembers", idField: "ContactId" },
    lead: { relationshipName: "CampaignMembers", idField: "LeadId" },
  },
};

/** Throws `ProviderError` for a name that cannot be associated, as far as the metadata says. */
export function planAssociations({
  objectName,
  associations,
  metadata,
}: Pick<ReadPlan, "objectName" | "associations" | "metadata">): AssociationPlan {
  const plan: AssociationPlan = { parents: [], children: [] };
  for (const name of associations) {
    const child = findJunction(objectName, name) ?? findChildNamed(name, metadata);
    const fieldName = child ? undefined : findParentField(name, metadata);
    if (fieldName !== undefined) plan.parents.push({ name, fieldName });
    else plan.children.push({ name, ...(child ?? findChild(objectName, name, metadata)) });
  }
  return plan;
}

/**
 * In the order of ids, so that a list that is read in parts has each child once.
 *
 * @param withDeleted whether the query finds deleted records, of which the children are then left out
 */
export const buildChildQuery = (
  { relationshipName, idField, isNeverDeleted }: ChildAssociation,
  withDeleted: boolean,
): string =>
  `(SELECT Id${idField === "Id" ? "" : `,${idField}`} FROM ${relationshipName}` +
  `${withDeleted && !isNeverDeleted ? ` WHERE ${NOT_DELETED}` : ""} ORDER BY Id)`;

/**
 * Returns a query without the test of the mark in the lists of children of one object. Salesforce refuses a query for it where an object has no
 * `IsDeleted`: its records are never in the recycle bin.
 */
export const dropMark = (soql: string, children: readonly ChildAssociation[], objectName: string): string =>
  children
    .filter((child) => child.objectName?.toLowerCase() === objectName.toLowerCase())
    .reduce((text, child) => text.replace(buildChildQuery(child, true), buildChildQuery(child, false)), soql);

/** What leaves out the deleted records that `queryAll` has beside the archived ones. */
export const NOT_DELETED = "IsDeleted = false";

type Found = Omit<ChildAssociation, "name">;

function findJunction(objectName: string, name: string): Found | undefined {
  const targets = JUNCTIONS[objectName.toLowerCase()] ?? {};
  const key = Object.keys(targets).find((target) => isObjectName(name, target));
  return key === undefined ? undefined : targets[key];
}

const findChildNamed = (name: string, metadata: ObjectMetadata | undefined): Found | undefined => {
  const child = metadata?.children?.find(
    ({ relationshipName }) => relationshipName.toLowerCase() === name.toLowerCase(),
  );
  return child && byRelation(child.relationshipName, child.objectName);
};

const byRelation = (relationshipName: string, objectName: string): Found => ({
  relationshipName,
  objectName,
  idField: "Id",
  ...(isArchived(objectName) && { hasArchive: true }),
  ...(/^user$/i.test(objectName) && { isNeverDeleted: true }),
});

const findParentField = (name: string, metadata: ObjectMetadata | undefined): string | undefined =>
  Object.values(metadata?.fields ?? {}).find(({ referenceTo }) =>
    referenceTo?.some((target) => isObjectName(name, target)),
  )?.fieldName;

function findChild(objectName: string, name: string, metadata: ObjectMetadata | undefined): Found {
  const child = metadata?.children?.find((candidate) => isObjectName(name, candidate.objectName));
  if (child) return byRelation(child.relationshipName, child.objectName);
  // Without a description Salesforce decides.
  if (!metadata?.children && /^[A-Za-z]\w*$/.test(name)) return byRelation(name, name.replace(/s$/i, ""));
  throw buildRefusedField(name, `Salesforce's \`${objectName}\` has no relation to \`${name}\``);
}

/** Whether a text is an object's name, in singular or plural and any case. */
function isObjectName(text: string, objectName: string): boolean {
  const [given, name] = [text.toLowerCase(), objectName.toLowerCase()];
  return (
    given === name || given === `${name}s` || (name.endsWith("y") && given === `${name.slice(0, -1)}ies`)
  );
}
