/** GET /docs/reader.js: the program of the API reference. */
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { Type } from "typebox";
import { endpoint, Page, type Endpoint } from "../../http/endpoint.ts";
import { readerProgram } from "./reader-program.ts";

export const getDocsReader = (): Endpoint =>
  endpoint({
    operationId: "getDocsReader",
    tag: "Documentation",
    summary: "Get the program of the API reference",
    description: "The script of the page at `/docs`.",
    success: { status: 200, description: "The program.", schema: Type.String(), media: "text/javascript" },
    async handle({ headers }) {
      const compressed = await readerProgram();
      const takesGzip = /\bgzip\b/.test(String(headers["accept-encoding"] ?? ""));
      return new Page(takesGzip ? compressed : await promisify(gunzip)(compressed), {
        status: 200,
        headers: {
          ...(takesGzip && { "content-encoding": "gzip" }),
          vary: "accept-encoding",
          "cache-control": "public, max-age=3600",
          "x-content-type-options": "nosniff",
        },
        mediaType: "text/javascript",
      });
    },
  });
