/** Types of monday.com's columns: their kinds, and the member of a value that people read. */
import type { FieldListRules } from "../../connector-kit/declarative/rules/metadata-rules.ts";

export const columnTypes: FieldListRules["types"] = {
  text: "string",
  long_text: "string",
  numbers: "float",
  status: "singleSelect",
  dropdown: "multiSelect",
  date: "date",
  timeline: "other",
  checkbox: "boolean",
  email: "string",
  phone: "string",
  link: "string",
  people: "reference",
  board_relation: "reference",
  country: "string",
  rating: "int",
  hour: "string",
  week: "other",
  creation_log: "datetime",
  last_updated: "datetime",
};

/** Columns that are computed, or lead to other items, have no text, and stay as they are. */
const READABLE = [
  "text",
  "long_text",
  "numbers",
  "status",
  "dropdown",
  "date",
  "timeline",
  "checkbox",
  "email",
  "phone",
  "link",
  "people",
  "country",
  "rating",
  "hour",
  "week",
  "creation_log",
  "last_updated",
];

export const columnValues = {
  type: "type",
  single: true,
  // A status that rolls up has no text, but how many of the items below, or the item itself, have which one.
  values: { ...Object.fromEntries(READABLE.map((type) => [type, "text"])), status: "text|battery_value" },
};
