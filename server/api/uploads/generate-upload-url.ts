/** GET /v1/generate-upload-url: creates a URL for uploading a zip with an `amp.yaml`. */
import { Type } from "typebox";
import { Problem } from "../../../ground/errors.ts";
import { newId } from "../../../ground/ids.ts";
import { endpoint } from "../../http/endpoint.ts";
import type { Database } from "../../store/database.ts";
import { insertUpload } from "../../store/uploads.ts";

/** Clients expect the name of a storage bucket here; they only build `gs://bucket/path` from it. */
const UPLOAD_BUCKET = "busbar-uploads";
const LIFE_MINUTES = 15;

/** Exists on each surface; `operationId` distinguishes them in the OpenAPI document. */
export const generateUploadUrl = (
  deps: { database: Database; publicUrl: () => string },
  operationId = "generateUploadUrl",
) =>
  endpoint({
    operationId,
    tag: "Uploads",
    summary: "Get an upload URL",
    description:
      "PUT a zip with an `amp.yaml` to `url` within 15 minutes, then deploy it with `sourceZipUrl` set to " +
      "that `url` or to `gs://<bucket>/<path>`. The URL is a secret and accepts one upload.",
    query: Type.Object({
      md5: Type.Optional(Type.String({ description: "Base64 MD5 of the zip. The upload must match it." })),
    }),
    success: {
      status: 200,
      description: "An upload URL.",
      schema: Type.Object(
        {
          url: Type.String({ description: "URL for one PUT of the file. Expires after 15 minutes." }),
          bucket: Type.String({ description: "Bucket of the upload." }),
          path: Type.String({
            description: "Path of the upload. Pass `gs://<bucket>/<path>` as `sourceZipUrl`.",
          }),
        },
        { title: "UploadAddress", description: "An upload URL." },
      ),
    },
    refusals: { 422: "`md5` is not an MD5 in base64." },
    async handle({ caller, query }) {
      // An unencoded `+` of base64 arrives as a space.
      const md5 = query.md5?.replaceAll(" ", "+");
      if (md5 !== undefined && Buffer.from(md5, "base64").length !== 16) {
        const detail = "md5: must be the MD5 digest (16 bytes) in base64.";
        throw new Problem("semantically-invalid", {
          detail,
          issues: [{ in: "query", name: "md5", detail, value: md5 }],
        });
      }
      if (!caller.projectId)
        throw new Problem("forbidden", { detail: "Upload with an API key of the project." });
      const id = newId();
      await insertUpload(deps.database.queries, {
        id,
        projectId: caller.projectId,
        md5,
        lifeMinutes: LIFE_MINUTES,
      });
      return {
        url: `${deps.publicUrl()}/v1/uploads/${id}`,
        bucket: UPLOAD_BUCKET,
        path: `uploads/${id}.zip`,
      };
    },
  });
