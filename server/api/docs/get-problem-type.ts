/** GET /docs/problems/{slug}: one problem type, with causes and remedies. */
import { Type } from "typebox";
import { Problem } from "../../../ground/errors.ts";
import { endpoint, type Endpoint } from "../../http/endpoint.ts";
import { problemTypePage } from "../../http/problems-page.ts";
import { htmlPage } from "./html-page.ts";

export const getProblemType = (): Endpoint =>
  endpoint({
    operationId: "getProblemType",
    tag: "Documentation",
    summary: "Read about a problem type",
    description: "The page that the `type` of a Problem links to: causes and remedies.",
    params: Type.Object({
      slug: Type.String({ description: "Last segment of the problem type's URL, for example `not-found`." }),
    }),
    success: htmlPage("The page."),
    refusals: { 404: "There is no such problem type." },
    async handle({ params }) {
      const page = problemTypePage(params.slug);
      if (page !== undefined) return page;
      throw new Problem("not-found", {
        detail: `There is no problem type \`${params.slug}\`. See /docs/problems.`,
      });
    },
  });
