/** Waits for a condition or a file, two minutes at most. */
import { readFile } from "node:fs/promises";

export async function until(check: () => Promise<boolean>, everyMs = 50): Promise<void> {
  for (const end = performance.now() + 120_000; performance.now() < end;) {
    if (await check()) return;
    await new Promise((resolve) => setTimeout(resolve, everyMs));
  }
  throw new Error("not within two minutes");
}

export async function waitUntilThere(path: string): Promise<string> {
  let text: string | undefined;
  await until(async () => (text = await readFile(path, "utf8").catch(() => undefined)) !== undefined);
  return text ?? "";
}
