/** Reads the text of a manifest from a file that the person chose: `amp.yaml` itself, or a zip that holds it. */

const MAX_BYTES = 1_048_576;
const MAX_ZIP_BYTES = 10_485_760;

/** Throws an error with a sentence for the person. */
export async function readManifestFile(file: File): Promise<string> {
  if (file.size > MAX_ZIP_BYTES)
    throw new Error("The file is larger than 10 MB. A manifest has a few kilobytes.");
  const bytes = new Uint8Array(await file.arrayBuffer());
  const isZip = bytes[0] === 0x50 && bytes[1] === 0x4b;
  const content = isZip ? await fromZip(bytes) : bytes;
  if (content.length > MAX_BYTES) throw new Error("The manifest is larger than 1 MB.");
  return new TextDecoder().decode(content);
}

/** Prefers the file at the top level, as the API does. */
async function fromZip(zip: Uint8Array): Promise<Uint8Array> {
  const { unzipSync } = await import("fflate");
  const found = Object.entries(
    unzipSync(zip, {
      filter: ({ name, originalSize }) => /^([^/]+\/)?amp\.ya?ml$/.test(name) && originalSize <= MAX_BYTES,
    }),
  ).toSorted(([one], [other]) => measureDepth(one) - measureDepth(other));
  const [first] = found;
  if (!first) throw new Error("The zip has no amp.yaml at its top level or in a folder of it.");
  return first[1];
}

const measureDepth = (path: string): number => path.split("/").length;
