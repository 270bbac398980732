/** Gets the text of a manifest from a deployment request: as text, or from an uploaded zip. */
import { Type, type Static } from "typebox";
import { Problem } from "../../ground/errors.ts";
import type { Queries } from "../../store/database.ts";
import { findUploadContent } from "../../store/uploads.ts";
import { isUuid } from "../../ground/ids.ts";
import { readManifestZip } from "./read-manifest-zip.ts";

export const ManifestSourceSchema = Type.Object(
  {
    sourceYaml: Type.Optional(Type.String({ description: "Text of the `amp.yaml`." })),
    sourceZipUrl: Type.Optional(
      Type.String({ description: "URL of an upload, or `gs://<bucket>/<path>`, from `generateUploadUrl`." }),
    ),
  },
  { title: "ManifestSource", description: "Exactly one of the two members." },
);

/** Throws a 422 Problem that names the member to fix. */
export async function manifestSource(
  queries: Queries,
  projectId: string,
  { sourceYaml, sourceZipUrl }: Static<typeof ManifestSourceSchema>,
): Promise<string> {
  if ((sourceYaml === undefined) === (sourceZipUrl === undefined)) {
    throw new Problem("semantically-invalid", {
      detail: "Send exactly one of `sourceYaml` and `sourceZipUrl`.",
    });
  }
  if (sourceYaml !== undefined) return sourceYaml;
  const id = UPLOAD.exec(sourceZipUrl ?? "")?.[1];
  if (!id || !isUuid(id)) {
    throw noUpload(
      "This is not an upload. Get a URL from GET /v1/generate-upload-url, PUT the zip there, and send its `url`.",
    );
  }
  const upload = await findUploadContent(queries, projectId, id);
  if (!upload)
    throw noUpload("There is no such upload in this project; it may have expired. Upload the zip again.");
  if (!upload.content) throw noUpload("Nothing was uploaded to this URL yet. PUT the zip first.");
  return readManifestZip(upload.content);
}

/** Reads the URL of an upload, or the form that the public command line makes of bucket and path. */
const UPLOAD = /\/uploads\/([0-9a-f-]{36})(?:\.zip)?$/i;

const noUpload = (detail: string): Problem =>
  new Problem("semantically-invalid", { detail, issues: [{ in: "body", name: "sourceZipUrl", detail }] });
