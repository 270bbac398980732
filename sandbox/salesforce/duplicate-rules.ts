// Duplicate rules, and the request header with which a record passes an alerting one.

import { readHeader, type Data, type SandboxExchange } from "../exchange.ts";
import type { SaveError } from "./errors.ts";
import type { Scalar } from "./fields.ts";
import type { DuplicateRule, ObjectStore, Org } from "./org.ts";

export type DuplicateHeader = { allowSave: boolean; includeRecordDetails: boolean };

/** Reads `Sforce-Duplicate-Rule-Header: allowSave=true; includeRecordDetails=true`. */
export function readDuplicateHeader(exchange: SandboxExchange): DuplicateHeader {
  const text = readHeader(exchange, "sforce-duplicate-rule-header").toLowerCase().replaceAll(" ", "");
  return {
    allowSave: text.includes("allowsave=true"),
    includeRecordDetails: text.includes("includerecorddetails=true"),
  };
}

export function findDuplicates(
  org: Org,
  store: ObjectStore,
  values: Record<string, Scalar>,
  ownId: string | undefined,
  duplicates: DuplicateHeader,
): SaveError | undefined {
  for (const rule of org.rules) {
    if (rule.object !== store.definition.name) continue;
    const value = values[rule.field];
    if (value === undefined || value === null) continue;
    const matches = store.holders(rule.field, value).filter((id) => id !== ownId);
    if (matches.length === 0 || (rule.action === "alert" && duplicates.allowSave)) continue;
    const error = { code: "DUPLICATES_DETECTED", message: "Use one of these records?", fields: [] };
    return duplicates.includeRecordDetails
      ? { ...error, duplicateResult: buildResult(rule, matches) }
      : error;
  }
  return undefined;
}

function buildResult(rule: DuplicateRule, matches: string[]): Data {
  return {
    allowSave: rule.action === "alert",
    duplicateRule: `Standard_${rule.object}_Duplicate_Rule`,
    duplicateRuleEntityType: rule.object,
    errorMessage: "Use one of these records?",
    matchResults: [
      {
        entityType: rule.object,
        errors: [],
        matchEngine: "FuzzyMatchEngine",
        matchRecords: matches.map((Id) => ({
          additionalInformation: [],
          fieldDiffs: [],
          matchConfidence: 100,
          record: {
            attributes: { type: rule.object, url: `/services/data/v60.0/sobjects/${rule.object}/${Id}` },
            Id,
          },
        })),
        rule: `Standard_${rule.object}_Match_Rule_v1_1`,
        size: matches.length,
        success: true,
      },
    ],
  };
}
