/** Extracts the `amp.yaml` from a zip, with a size limit. */
import { fromBuffer, type Entry, type ZipFile } from "yauzl";
import { Problem } from "../../ground/errors.ts";

/** A manifest has a few kilobytes; a larger entry is something else, or a zip bomb. */
const MANIFEST_LIMIT_BYTES = 1024 * 1024;
const MOST_ENTRIES = 1_000;

/** Returns the text of `amp.yaml` (or `amp.yml`), at the top level or in one folder. Throws a 422 Problem. */
export async function readManifestZip(zip: Buffer): Promise<string> {
  const file = await open(zip);
  try {
    const entry = await findEntry(file);
    return await readEntry(file, entry);
  } catch (error) {
    throw error instanceof Problem ? error : broken(error);
  } finally {
    file.close();
  }
}

const open = (zip: Buffer): Promise<ZipFile> =>
  new Promise((resolve, reject) => {
    fromBuffer(zip, { lazyEntries: true, validateEntrySizes: true }, (error, file) =>
      file ? resolve(file) : reject(broken(error)),
    );
  });

/** Prefers the file at the top level, whatever the order in the zip. */
function findEntry(file: ZipFile): Promise<Entry> {
  const { promise, resolve, reject } = Promise.withResolvers<Entry>();
  let seen = 0;
  let inFolder: Entry | undefined;
  file.on("entry", (entry: Entry) => {
    if (/^amp\.ya?ml$/.test(entry.fileName)) return resolve(entry);
    if (/^[^/]+\/amp\.ya?ml$/.test(entry.fileName)) inFolder ??= entry;
    seen += 1;
    if (seen < MOST_ENTRIES) return file.readEntry();
    reject(refused(`The zip holds more than ${MOST_ENTRIES} files. Zip only the amp.yaml.`));
  });
  file.on("end", () =>
    inFolder ? resolve(inFolder) : reject(refused("The zip has no amp.yaml. Put the file at its top level.")),
  );
  file.on("error", reject);
  file.readEntry();
  return promise;
}

function readEntry(file: ZipFile, entry: Entry): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  if (entry.uncompressedSize > MANIFEST_LIMIT_BYTES) reject(tooLarge());
  else {
    file.openReadStream(entry, (error, stream) => {
      if (!stream) return reject(error);
      const chunks: Buffer[] = [];
      let size = 0;
      stream.on("data", (chunk: Buffer) => {
        size += chunk.length;
        chunks.push(chunk);
        // The declared size may be wrong; the extracted bytes are counted as well.
        if (size > MANIFEST_LIMIT_BYTES) stream.destroy(tooLarge());
      });
      stream.on("end", () => resolve(Buffer.concat(chunks).toString("utf8")));
      stream.on("error", reject);
    });
  }
  return promise;
}

const refused = (detail: string, cause?: unknown): Problem =>
  new Problem("semantically-invalid", { detail, cause });
const tooLarge = () =>
  refused("The amp.yaml in the zip is larger than 1 MB. A manifest is a few kilobytes long.");
const broken = (cause: unknown) => {
  const why = cause instanceof Error ? cause.message.replace(/\.$/, "") : "it is damaged";
  return refused(
    `The upload cannot be read as a zip: ${why}. Zip the folder that holds the amp.yaml and upload it again.`,
    cause,
  );
};
