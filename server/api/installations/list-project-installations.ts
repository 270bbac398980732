/** GET /v1/projects/{projectIdOrName}/installations:search */
import { Type } from "typebox";
import { projectEndpoint } from "../../http/endpoint.ts";
import type { ConfigContent } from "../../../manifest/installation-config.ts";
import { listInstallationPage } from "../../store/customer-lists.ts";
import type { Database } from "../../store/database.ts";
import { listQuery, onePage, pageSchema, textQuery } from "../pages.ts";
import { InstallationSchema, toInstallations } from "./installation.ts";

const only = (what: string) =>
  Type.Optional(Type.String({ description: `Return only installations ${what}.` }));

export const listProjectInstallations = (deps: { database: Database }) =>
  projectEndpoint({
    operationId: "listProjectInstallations",
    tag: "Installations",
    summary: "Search installations",
    description: "Of all integrations, newest first, in pages. All filters must match.",
    query: Type.Object({
      integration: only("of the integration of this id or name"),
      provider: only("of integrations with this provider"),
      groupRef: only("of this customer"),
      healthStatus: Type.Optional(
        Type.Enum(["healthy", "unhealthy"], { description: "Return only installations of this health." }),
      ),
      ...textQuery("the names of customer, integration and provider, or the id"),
      ...listQuery,
    }),
    hasEntityTag: true,
    success: {
      status: 200,
      description: "A page.",
      schema: pageSchema(
        Type.Object({
          ...InstallationSchema.properties,
          integrationName: Type.String({ description: "Name of the integration." }),
        }),
      ),
    },
    async handle({ project, query }) {
      const { queries } = deps.database;
      const page = await onePage(query, {
        list: (range) =>
          listInstallationPage<ConfigContent>(queries, { ...query, projectId: project.id }, range),
        show: (row) => row,
      });
      const shown = await toInstallations(queries, project.id, page.results);
      const names = new Map(page.results.map(({ id, integrationName }) => [id, integrationName]));
      const results = shown.map((one) => ({ ...one, integrationName: names.get(one.id) ?? "" }));
      return { ...page, results };
    },
  });
