/** Gets the text of a manifest from a deployment request: as text, or from an uploaded zip. */
import { setImmediate } from "node:timers/promises";
import { Type, type Static } from "typebox";
import { Problem } from "../../../ground/errors.ts";
import { parseManifest } from "../../../manifest/parse-manifest.ts";
import type { ControlQueries } from "../../store/database/sides.ts";
import { findUploadContent } from "../../store/integrations/uploads.ts";
import { isUuid } from "../../../ground/ids.ts";
import { MAX_PROVIDERS, ProviderDocumentSchema } from "../providers/custom-provider.ts";
import { readManifestZip } from "./read-manifest-zip.ts";

export const ManifestSourceSchema = Type.Object(
  {
    sourceYaml: Type.Optional(Type.String({ description: "Text of the `amp.yaml`." })),
    sourceZipUrl: Type.Optional(
      Type.String({
        description:
          "URL of an upload, or `gs://<bucket>/<path>`, from `generateUploadUrl`. The zip may have files " +
          "`providers/<key>.yaml` beside the `amp.yaml`.",
      }),
    ),
    providers: Type.Optional(
      Type.Record(Type.String(), ProviderDocumentSchema, {
        maxProperties: MAX_PROVIDERS,
        description: "Busbar's own: providers of your own to add or replace, by key. With `sourceYaml` only.",
      }),
    ),
  },
  { title: "ManifestSource", description: "`sourceYaml` or `sourceZipUrl`." },
);

interface DeployedSource {
  source: string;
  /** Documents of custom providers, by key. */
  documents: Record<string, unknown>;
}

/** Throws a 422 Problem that names the member to fix. */
export async function readManifestSource(
  queries: ControlQueries,
  projectId: string,
  { sourceYaml, sourceZipUrl, providers }: Static<typeof ManifestSourceSchema>,
): Promise<DeployedSource> {
  if ((sourceYaml === undefined) === (sourceZipUrl === undefined)) {
    throw new Problem("semantically-invalid", {
      detail: "Send exactly one of `sourceYaml` and `sourceZipUrl`.",
    });
  }
  if (sourceYaml !== undefined) return { source: sourceYaml, documents: providers ?? {} };
  if (providers) {
    const detail = "Put the providers into the zip, as files `providers/<key>.yaml`.";
    throw new Problem("semantically-invalid", {
      detail,
      issues: [{ in: "body", name: "providers", detail }],
    });
  }
  const id = UPLOAD.exec(sourceZipUrl ?? "")?.[1];
  if (!id || !isUuid(id)) {
    throw refuseWithoutUpload(
      "This is not an upload. Get a URL from GET /v1/generate-upload-url, PUT the zip there, and send its `url`.",
    );
  }
  const upload = await findUploadContent(queries, projectId, id);
  if (!upload)
    throw refuseWithoutUpload(
      "There is no such upload in this project; it may have expired. Upload the zip again.",
    );
  if (!upload.content) throw refuseWithoutUpload("Nothing was uploaded to this URL yet. PUT the zip first.");
  const { source, files } = await readManifestZip(upload.content);
  return { source, documents: await parseFiles(files) };
}

/** Throws a 422 Problem with the place of the first fault of a file, or for a second file of one provider. */
async function parseFiles(files: Map<string, string>): Promise<Record<string, unknown>> {
  const documents = new Map<string, unknown>();
  for (const [name, text] of files) {
    // Lets other requests run: a large file takes some tenths of a second.
    await setImmediate();
    const key = name.replace(/\.(ya?ml|json)$/, "");
    const refuseSource = (detail: string) =>
      new Problem("semantically-invalid", { detail: `providers/${name}: ${detail}` });
    if (documents.has(key)) throw refuseSource(`There is another file of ${key}. Keep one of them.`);
    const { document, findings } = parseManifest(text);
    const [fault] = findings;
    if (fault) throw refuseSource(`line ${fault.line}: ${fault.message} ${fault.remedy}`);
    documents.set(key, document?.data);
  }
  return Object.fromEntries(documents);
}

/** Reads the URL of an upload, or the form that the public command line makes of bucket and path. */
const UPLOAD = /\/uploads\/([0-9a-f-]{36})(?:\.zip)?$/i;

const refuseWithoutUpload = (detail: string): Problem =>
  new Problem("semantically-invalid", { detail, issues: [{ in: "body", name: "sourceZipUrl", detail }] });
