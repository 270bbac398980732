// placeholder
import type { Grants } from "../oauth/grants.ts";
import type { Router } from "../router.ts";
import type { OrgSource } from "./sobjects.ts";
export function addMetadataRoutes(
  _router: Router,
  _org: OrgSource,
  _grants: Grants,
  _countCall: () => void,
): void {}
