/** Uploads of files: the address for one, and the endpoint that receives it. */
import { Type } from "typebox";
import { Problem } from "../../../ground/errors.ts";
import { isUuid, newId } from "../../../ground/ids.ts";
import { endpoint, route, type Route } from "../../http/endpoint.ts";
import type { Database } from "../../store/database/database.ts";
import { fillUpload, findOpenUpload, insertUpload } from "../../store/integrations/uploads.ts";
import { type ReceivedFile, receiveFile } from "./receive-file.ts";

export const uploadRoutes = (deps: {
  database: Database;
  publicUrl: () => string;
  config: { dataDir: string };
}): Route[] => [
  route("GET /write/v1/generate-upload-url", "write", generateUploadUrl(deps, "generateUploadUrlForWrite")),
  route("GET /read/v1/generate-upload-url", "read", generateUploadUrl(deps, "generateUploadUrlForRead")),
  route("GET /v1/generate-upload-url", "full", generateUploadUrl(deps)),
  route("PUT /v1/uploads/{uploadId}", "public", putUpload(deps)),
];

/** Clients expect the name of a storage bucket here; they only build `gs://bucket/path` from it. */
const UPLOAD_BUCKET = "busbar-uploads";
const LIFE_MINUTES = 15;

/** Exists on each surface; `operationId` distinguishes them in the OpenAPI document. */
const generateUploadUrl = (
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
      await insertUpload(deps.database.control, {
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

const UPLOAD_LIMIT_BYTES = 50 * 1024 * 1024;

function putUpload(deps: { database: Database; config: { dataDir: string } }) {
  const store = runOneAtATime(async (uploadId: string, file: ReceivedFile) => {
    if (await fillUpload(deps.database.control, uploadId, await file.read())) return;
    throw new Problem("conflict", { detail: "Another upload to this URL came first." });
  });
  return endpoint({
    operationId: "putUpload",
    tag: "Uploads",
    summary: "Upload",
    description: "Accepts a body of any media type, at most 50 MB, once. A `Content-MD5` header is checked.",
    params: Type.Object({
      uploadId: Type.String({ description: "Id from the URL that `generateUploadUrl` returned." }),
    }),
    body: Type.Unknown(),
    rawBodyLimitBytes: UPLOAD_LIMIT_BYTES,
    success: { status: 204, description: "Stored." },
    refusals: {
      404: "The URL has expired or was used.",
      409: "Another upload to this URL came first.",
      413: "The body is larger than 50 MB.",
    },
    streamsBody: true,
    admit: async ({ params }) => void (await requireOpen(deps.database, params.uploadId)),
    async handle({ params, body, headers }) {
      if (!isStream(body)) throw buildEmptyUpload();
      const announced = await requireOpen(deps.database, params.uploadId);
      await receiveFile(body, deps.config.dataDir, async (file) => {
        if (file.sizeBytes === 0) throw buildEmptyUpload();
        requireMd5(file.md5, [announced.md5, headers["content-md5"]]);
        await store(params.uploadId, file);
      });
    },
  });
}

async function requireOpen(database: Database, uploadId: string): Promise<{ md5: string | null }> {
  const upload = isUuid(uploadId) ? await findOpenUpload(database.control, uploadId) : undefined;
  if (upload) return upload;
  throw new Problem("not-found", {
    detail: "This upload URL has expired or was used. Get another one.",
  });
}

function requireMd5(md5: string, announced: (string | string[] | null | undefined)[]): void {
  for (const expected of announced) {
    if (!expected || expected === md5) continue;
    throw new Problem("invalid-request", {
      detail: `The upload's MD5 is ${md5}, not the ${String(expected)} announced. Upload again.`,
    });
  }
}

/** Returns a function whose calls wait for each other: only one upload at a time is in memory. */
function runOneAtATime<Args extends unknown[]>(
  run: (...args: Args) => Promise<void>,
): (...args: Args) => Promise<void> {
  let last: Promise<unknown> = Promise.resolve();
  return (...args) => {
    const mine = last.then(() => run(...args));
    last = mine.catch(() => {});
    return mine;
  };
}

const isStream = (body: unknown): body is AsyncIterable<Buffer> =>
  typeof body === "object" && body !== null && Symbol.asyncIterator in body;

const buildEmptyUpload = (): Problem =>
  new Problem("invalid-request", { detail: "The upload is empty. Send the zip as the body." });
