/** Writes an upload to a temporary file while it arrives, so that its size is not held in memory. */
import { createHash, randomBytes } from "node:crypto";
import { open, rm, type FileHandle } from "node:fs/promises";
import { join } from "node:path";

export interface ReceivedFile {
  sizeBytes: number;
  /** Base64. */
  md5: string;
  read(): Promise<Buffer>;
}

/**
 * Passes the received file to `use`. The file has no name in the folder, so that the operating system removes it when it is
 * closed or the process ends, whatever goes wrong.
 */
export async function receiveFile<Result>(
  body: AsyncIterable<Buffer>,
  folder: string,
  use: (file: ReceivedFile) => Promise<Result>,
): Promise<Result> {
  const path = join(folder, `upload-${randomBytes(8).toString("hex")}.tmp`);
  const file = await open(path, "wx+", 0o600);
  try {
    await rm(path);
    const { sizeBytes, md5 } = await write(body, file);
    return await use({ sizeBytes, md5, read: () => readWhole(file, sizeBytes) });
  } finally {
    await file.close();
  }
}

async function write(
  body: AsyncIterable<Buffer>,
  file: FileHandle,
): Promise<{ sizeBytes: number; md5: string }> {
  const hash = createHash("md5");
  let sizeBytes = 0;
  for await (const chunk of body) {
    hash.update(chunk);
    await file.writeFile(chunk);
    sizeBytes += chunk.length;
  }
  return { sizeBytes, md5: hash.digest("base64") };
}

async function readWhole(file: FileHandle, sizeBytes: number): Promise<Buffer> {
  const content = Buffer.allocUnsafe(sizeBytes);
  let at = 0;
  while (at < sizeBytes) {
    const { bytesRead } = await file.read(content, at, sizeBytes - at, at);
    if (bytesRead === 0) throw new Error("the temporary file of an upload became shorter");
    at += bytesRead;
  }
  return content;
}
