/** Finds the tables that a statement names, in SQL or as a query builder, and their sides. */
import { TABLE_SIDES, type Side } from "../../server/store/database/sides.ts";

const toSnake = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
const SIDES = new Map<string, Side>(
  Object.entries(TABLE_SIDES).flatMap(([name, side]) => [
    [name, side],
    [toSnake(name), side],
  ]),
);
const isTable = (name: string) => SIDES.has(name);

/** Returns the side of a table by its name in PostgreSQL or in TypeScript. */
export const findSide = (table: string): Side | undefined => SIDES.get(table);

const findNames = (text: string, pattern: RegExp) =>
  [...text.matchAll(pattern)].map((match) => match[1] ?? "").filter(isTable);

/** Tables that SQL texts and query builders name. In SQL, a list of tables has an alias for each. */
export const readTables = (text: string) => [
  ...findNames(text, /\b(?:from|join|using|table)\s+(?:only\s+)?([a-z_]+)\b(?!\s*\.)/g),
  ...findNames(text, /\bfrom\s[^()`$]*,\s*([a-z_]+)\s+(?:as\s+)?[a-z]/g),
  ...findNames(text, /'([a-z_]+)'::regclass/g),
  ...findNames(text, /`\s*([a-z_]+)\s+(?:as|join|left join)\s/g),
  ...findNames(text, /\.(?:selectFrom|\w*[jJ]oin|using|from|table)\(\s*\[?"(\w+)/g),
];
export const findWrittenTables = (text: string) => [
  ...findNames(text, /\b(?:insert\s+into|delete\s+from)\s+([a-z_]+)\b/g),
  ...findNames(text, /(?<!\b(?:for|key|do)\s)\bupdate\s+([a-z_]+)\b/g),
  ...findNames(text, /\.(?:insertInto|updateTable|deleteFrom)\(\s*"(\w+)"/g),
  ...findNames(text, /\bremove(?:Rows|PlannedByRows)\(\s*\w+,\s*"(\w+)"/g),
];
