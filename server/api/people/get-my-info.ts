/** GET /v1/my-info */
import { endpoint } from "../../http/endpoint.ts";
import type { Database } from "../../store/database.ts";
import { builderInfo, BuilderInfoSchema } from "./builder-info.ts";

export const getMyInfo = (deps: { database: Database }) =>
  endpoint({
    operationId: "getMyInfo",
    tag: "People",
    summary: "Who is signed in, and what they may enter",
    description: "Needs a signed-in person: an API key is nobody, and is refused with 403.",
    success: { status: 200, description: "The person.", schema: BuilderInfoSchema },
    handle: ({ caller }) => builderInfo(deps.database.queries, caller),
  });
