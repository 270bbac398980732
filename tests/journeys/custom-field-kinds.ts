/** Definitions of custom fields of every kind, and how tests read what became of them. */
import type { Answer } from "../harness/busbar.ts";

/** One of every kind that both providers have. */
export const KINDS = [
  { fieldName: "Motto", displayName: "Motto", description: "Words", valueType: "string" },
  { fieldName: "Vip", displayName: "VIP", valueType: "boolean" },
  { fieldName: "Since", displayName: "Since", valueType: "date" },
  { fieldName: "Seen_At", displayName: "Seen at", valueType: "datetime" },
  {
    fieldName: "Size",
    displayName: "Size",
    valueType: "singleSelect",
    stringOptions: { values: ["Small", "Large"], valuesRestricted: true },
  },
  {
    fieldName: "Likes",
    displayName: "Likes",
    valueType: "multiSelect",
    stringOptions: { values: ["art", "travel"], valuesRestricted: true },
  },
  { fieldName: "Age", displayName: "Age", valueType: "int" },
  { fieldName: "Score", displayName: "Score", valueType: "float" },
];

export interface Result {
  fieldName: string;
  action: string;
  metadata?: Record<string, unknown>;
  warnings?: string[];
  error?: { message: string };
}

export const listResults = (answer: Answer, objectName: string): Record<string, Result> => {
  const fields: Record<string, Record<string, Result>> = answer.body.fields;
  return fields[objectName] ?? {};
};
export const listActions = (answer: Answer, objectName: string): Record<string, string> =>
  Object.fromEntries(
    Object.entries(listResults(answer, objectName)).map(([name, { action }]) => [name, action]),
  );
