/** Reads requests in a vendor's query language. Each language has its own file. */
import type { VendorRequest } from "../vendor-request.ts";
import type { Asked, VendorQuery } from "./asked.ts";
import { readFilterGroups } from "./filter-groups.ts";
import { readSoql } from "./soql.ts";

/** Returns what a request asks for. A sentence tells why the vendor refuses it. */
export function readVendorQuery(asked: Asked, request: VendorRequest): VendorQuery | string {
  return asked.fact.language?.kind === "soql" ? readSoql(asked, request) : readFilterGroups(asked, request);
}
