/** GET /v1/projects/{projectIdOrName}/retention */
import type { RetentionConfig } from "../../../ground/retention-bounds.ts";
import { projectEndpoint } from "../../http/endpoint.ts";
import type { Database } from "../../store/database.ts";
import { findOwnRetention } from "../../store/project-retention.ts";
import { RetentionSchema, toRetention } from "./retention-schema.ts";

export const getRetention = (deps: { database: Database; config: RetentionConfig }) =>
  projectEndpoint({
    operationId: "getRetention",
    tag: "Projects",
    summary: "Get how long a project keeps history",
    description:
      "Busbar's own. For each kind of history: the days that apply, and within which bounds they can be set.",
    success: { status: 200, description: "The retention.", schema: RetentionSchema },
    async handle({ project }) {
      return toRetention(deps.config, await findOwnRetention(deps.database.queries, project.id));
    },
  });
