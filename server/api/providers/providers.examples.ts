/** Calls the operations of the catalog, and of providers of the project's own. */
import type { ResourceExamples } from "../../../tests/journeys/every-operation/recording.ts";

export const examples: ResourceExamples = {
  async run({ call }) {
    const path = { provider: "x-quill" };
    const body = {
      displayName: "Quill CRM",
      authType: "apiKey",
      baseURL: "https://api.quill.example",
      apiKeyOpts: { attachmentType: "header", header: { name: "X-Quill-Key" } },
      connector: {
        defaults: {
          list: { path: "/v3/{path}", pageSize: { to: "query.per_page", most: 200 } },
          records: "results",
          paging: { cursor: { from: "meta.next", to: "query.after" } },
          create: { method: "POST", path: "/v3/{path}" },
          update: { method: "PATCH", path: "/v3/{path}/{id}" },
          delete: { method: "DELETE", path: "/v3/{path}/{id}" },
        },
        objects: { people: {}, deals: {} },
        errors: { message: ["error.text"] },
        sources: { documentation: "https://docs.quill.example", checked: "2026-11-22, documentation only" },
      },
    };
    await call("putProjectProvider", { title: "With a connector", path, body });
    await call("putProjectProvider", { title: "A check", path, body, query: { dryRun: "true" } });
    await call("listProjectProviders");
    await call("getProjectProvider", { path });
    await call("deleteProjectProvider", { path });
  },
};
