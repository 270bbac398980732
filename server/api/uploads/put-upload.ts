/** PUT /v1/uploads/{uploadId}: takes the bytes that were announced; the id is the permission. */
import { createHash } from "node:crypto";
import { Type } from "typebox";
import { Problem } from "../../ground/errors.ts";
import { isUuid } from "../../ground/ids.ts";
import { endpoint } from "../../http/endpoint.ts";
import type { Database } from "../../store/database.ts";
import { fillUpload, findOpenUpload } from "../../store/uploads.ts";

export const UPLOAD_LIMIT_BYTES = 50 * 1024 * 1024;

export const putUpload = (deps: { database: Database }) =>
  endpoint({
    operationId: "putUpload",
    tag: "Uploads",
    summary: "Upload",
    description: "Takes a body of any media type, at most 50 MB, once. A `Content-MD5` is checked.",
    params: Type.Object({
      uploadId: Type.String({ description: "Id from the URL that `generateUploadUrl` returned." }),
    }),
    body: Type.Unknown(),
    rawBodyLimitBytes: UPLOAD_LIMIT_BYTES,
    success: { status: 204, description: "Stored." },
    refusals: {
      404: "The address has expired or was used.",
      409: "Another upload to this address was faster.",
      413: "The body is larger than 50 MB.",
    },
    async handle({ params, body, headers }) {
      const { queries } = deps.database;
      const upload = isUuid(params.uploadId) ? await findOpenUpload(queries, params.uploadId) : undefined;
      if (!upload) {
        throw new Problem("not-found", {
          detail: "This upload address has expired or was used. Ask for another one.",
        });
      }
      if (!Buffer.isBuffer(body) || body.length === 0) {
        throw new Problem("invalid-request", { detail: "The upload is empty. Send the zip as the body." });
      }
      const md5 = createHash("md5").update(body).digest("base64");
      for (const announced of [upload.md5, headers["content-md5"]]) {
        if (!announced || announced === md5) continue;
        throw new Problem("invalid-request", {
          detail: `The upload's MD5 is ${md5}, not the ${String(announced)} announced. Upload again.`,
        });
      }
      if (!(await fillUpload(queries, params.uploadId, body))) {
        throw new Problem("conflict", { detail: "Something was uploaded to this address already." });
      }
    },
  });
