/** GET /v1/my-info */
import { endpoint } from "../../http/endpoint.ts";
import type { Database } from "../../store/database.ts";
import { builderInfo, BuilderInfoSchema } from "./builder-info.ts";

export const getMyInfo = (deps: { database: Database }) =>
  endpoint({
    operationId: "getMyInfo",
    tag: "People",
    summary: "Get the signed-in person",
    description:
      "Returns the person with their roles. An API key does not represent a person and is refused with 403.",
    success: { status: 200, description: "The person.", schema: BuilderInfoSchema },
    handle: ({ caller }) => builderInfo(deps.database.queries, caller),
  });
