/** Change times beyond what a `Date` holds are one and the same time: a record that has one is recognised. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { toSourceRecord as ofHubSpot } from "../../connectors/hubspot/source-record.ts";
import { toSourceRecord as ofSalesforce } from "../../connectors/salesforce/source-record.ts";
import { parseReportedTime } from "./reported-time.ts";

const LAST = "+275760-09-13T00:00:00.000Z";

test("a time that no Date holds is the last one, and what is no time is none", () => {
  for (const reported of ["+300000-01-01T00:00:00Z", "10000-01-01T00:00:00Z", "99999999999999999", 1e17])
    assert.equal(parseReportedTime(reported)?.toISOString(), LAST, String(reported));
  assert.equal(
    parseReportedTime("9999-12-31T23:59:59.999999999Z")?.toISOString(),
    "9999-12-31T23:59:59.999Z",
  );
  for (const reported of ["soon", "", "2026-13-01", Number.NaN])
    assert.equal(parseReportedTime(reported), undefined, String(reported));
});

test("records of both CRMs have it", () => {
  const hubspot = ofHubSpot(
    { id: "1", properties: { lastmodifieddate: "99999999999999999" } },
    "lastmodifieddate",
  );
  const salesforce = ofSalesforce(
    { Id: "001Sb0000000001IAA", SystemModstamp: "10000-01-01T00:00:00.000+0000" },
    "SystemModstamp",
  );
  for (const { changeTime } of [hubspot, salesforce]) assert.equal(changeTime?.toISOString(), LAST);
});
