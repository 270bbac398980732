/** PUT /v1/uploads/{uploadId}: stores an upload. Knowing the id is the permission. */
import { Type } from "typebox";
import { Problem } from "../../../ground/errors.ts";
import { isUuid } from "../../../ground/ids.ts";
import { endpoint } from "../../http/endpoint.ts";
import type { Database } from "../../store/database.ts";
import { fillUpload, findOpenUpload } from "../../store/uploads.ts";
import { receiveFile, type ReceivedFile } from "./receive-file.ts";

const UPLOAD_LIMIT_BYTES = 50 * 1024 * 1024;

export function putUpload(deps: { database: Database; config: { dataDir: string } }) {
  const store = oneAtATime(async (uploadId: string, file: ReceivedFile) => {
    if (await fillUpload(deps.database.queries, uploadId, await file.read())) return;
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
      if (!isStream(body)) throw empty();
      const announced = await requireOpen(deps.database, params.uploadId);
      await receiveFile(body, deps.config.dataDir, async (file) => {
        if (file.sizeBytes === 0) throw empty();
        requireMd5(file.md5, [announced.md5, headers["content-md5"]]);
        await store(params.uploadId, file);
      });
    },
  });
}

async function requireOpen(database: Database, uploadId: string): Promise<{ md5: string | null }> {
  const upload = isUuid(uploadId) ? await findOpenUpload(database.queries, uploadId) : undefined;
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
function oneAtATime<Args extends unknown[]>(
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

const empty = (): Problem =>
  new Problem("invalid-request", { detail: "The upload is empty. Send the zip as the body." });
