/** Extracts the `amp.yaml` and its providers from a zip, with a size limit. */
import { fromBuffer, type Entry, type ZipFile } from "yauzl";
import { Problem } from "../../../ground/errors.ts";
import { MAX_PROVIDERS } from "../providers/custom-provider.ts";

/** A manifest has a few kilobytes; a larger entry is something else, or a zip bomb. */
const MANIFEST_LIMIT_BYTES = 1024 * 1024;
/** Reading YAML takes 3 ms per kilobyte. A provider has 64 KiB as JSON at most; comments come on top. */
const PROVIDER_LIMIT_BYTES = 128 * 1024;
const PROVIDERS_LIMIT_BYTES = 1024 * 1024;
const MAX_ENTRIES = 1_000;

interface ManifestZip {
  source: string;
  /** Files of the folder `providers` beside the manifest, by name without the folder. */
  files: Map<string, string>;
}

/** Returns `amp.yaml` (or `amp.yml`), at the top level or in one folder, with its providers. Throws a 422 Problem. */
export async function readManifestZip(zip: Buffer): Promise<ManifestZip> {
  const file = await open(zip);
  try {
    const entries = await listEntries(file);
    const manifest =
      entries.find(({ fileName }) => AT_TOP.test(fileName)) ??
      entries.find(({ fileName }) => /^[^/]+\/amp\.ya?ml$/.test(fileName));
    if (!manifest) throw refuseZip("The zip has no amp.yaml. Put the file at its top level.");
    const source = await readEntry(file, manifest, { bytes: MANIFEST_LIMIT_BYTES, refusal: refuseTooLarge });
    const folder = manifest.fileName.replace(/amp\.ya?ml$/, "providers/");
    return { source, files: await readProviders(file, entries, folder) };
  } catch (error) {
    throw error instanceof Problem ? error : buildBroken(error);
  } finally {
    file.close();
  }
}

async function readProviders(file: ZipFile, entries: Entry[], folder: string): Promise<Map<string, string>> {
  const files = new Map<string, string>();
  let left = PROVIDERS_LIMIT_BYTES;
  for (const entry of entries) {
    const name = entry.fileName.startsWith(folder) ? entry.fileName.slice(folder.length) : "";
    if (!/^[^/]+\.(ya?ml|json)$/.test(name)) continue;
    if (files.size === MAX_PROVIDERS) throw refuseZip(`The zip has more than ${MAX_PROVIDERS} providers.`);
    const refusal = () => refuseZip(`providers/${name} is larger than ${PROVIDER_LIMIT_BYTES / 1024} KiB.`);
    const text = await readEntry(file, entry, { bytes: PROVIDER_LIMIT_BYTES, refusal });
    left -= Buffer.byteLength(text);
    if (left < 0)
      throw refuseZip("The providers in the zip have together more than 1 MiB. Deploy them in parts.");
    files.set(name, text);
  }
  return files;
}

const AT_TOP = /^amp\.ya?ml$/;

const open = (zip: Buffer): Promise<ZipFile> =>
  new Promise((resolve, reject) => {
    fromBuffer(zip, { lazyEntries: true, validateEntrySizes: true }, (error, file) =>
      file ? resolve(file) : reject(buildBroken(error)),
    );
  });

function listEntries(file: ZipFile): Promise<Entry[]> {
  const { promise, resolve, reject } = Promise.withResolvers<Entry[]>();
  const entries: Entry[] = [];
  file.on("entry", (entry: Entry) => {
    entries.push(entry);
    if (entries.length < MAX_ENTRIES) return file.readEntry();
    if (entries.some(({ fileName }) => AT_TOP.test(fileName))) return resolve(entries);
    reject(refuseZip(`The zip holds more than ${MAX_ENTRIES} files. Zip only the folder of the amp.yaml.`));
  });
  file.on("end", () => resolve(entries));
  file.on("error", reject);
  file.readEntry();
  return promise;
}

function readEntry(
  file: ZipFile,
  entry: Entry,
  limit: { bytes: number; refusal: () => Problem },
): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  if (entry.uncompressedSize > limit.bytes) reject(limit.refusal());
  else {
    file.openReadStream(entry, (error, stream) => {
      if (!stream) return reject(error);
      const chunks: Buffer[] = [];
      let size = 0;
      stream.on("data", (chunk: Buffer) => {
        size += chunk.length;
        chunks.push(chunk);
        // The declared size may be wrong; the extracted bytes are counted as well.
        if (size > limit.bytes) stream.destroy(limit.refusal());
      });
      stream.on("end", () => resolve(Buffer.concat(chunks).toString("utf8")));
      stream.on("error", reject);
    });
  }
  return promise;
}

const refuseZip = (detail: string, cause?: unknown): Problem =>
  new Problem("semantically-invalid", { detail, cause });
const refuseTooLarge = () =>
  refuseZip("The manifest in the zip is larger than 1 MB. Manifests are a few kilobytes long.");
const buildBroken = (cause: unknown) => {
  const why = cause instanceof Error ? cause.message.replace(/\.$/, "") : "it is damaged";
  return refuseZip(
    `The upload cannot be read as a zip: ${why}. Zip the folder that holds the amp.yaml and upload it again.`,
    cause,
  );
};
