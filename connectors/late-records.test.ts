/** Records that a provider shows late are still in the period of the next scheduled read. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { CONNECTORS } from "./connectors.gen.ts";

const MINUTE_MS = 60_000;

/**
 * Minutes between the change of a record and the moment from which the list has it, by the vendor's own words.
 * Dataverse: a message operation, with its plug-ins, "must complete within 2 minutes", and nobody sees its rows before it has ended, which may have
 * the time of its beginning (MicrosoftDocs/powerapps-docs, powerapps-docs/developer/data-platform/analyze-performance.md, 2026-08-20).
 * Zendesk: incremental exports leave out the last minute. Square: new customers appear after "one minute or longer".
 */
const LATE_MINUTES: Record<string, number> = { dynamicsCRM: 2, zendeskSupport: 1, square: 1 };

/**
 * Jira: "Recent updates might not be immediately visible in the returned search results"; it tells no time (Atlassian's OpenAPI file, as in
 * MrRefactoring/jira.js 6.2.0, src/cloud/api/issueSearch.ts).
 */
const LATE_WITHOUT_A_TIME = ["atlassian"];

const overlapMinutes = (provider: string): number =>
  (CONNECTORS[provider]?.read?.abilities.overlapMs ?? 0) / MINUTE_MS;

test("a read begins earlier than the last one ended by more than a record may appear late", () => {
  for (const [provider, minutes] of Object.entries(LATE_MINUTES))
    assert.ok(overlapMinutes(provider) > minutes, `${provider}: ${overlapMinutes(provider)} minutes`);
});

test("where a vendor says that records appear late and not by how much, a read begins some minutes earlier", () => {
  for (const provider of LATE_WITHOUT_A_TIME)
    assert.ok(overlapMinutes(provider) >= 5, `${provider}: ${overlapMinutes(provider)} minutes`);
});
