/** Gets the encryption keys from where the operator keeps them: a variable, a command, or a file in the data folder. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { Config } from "../../ground/config.ts";
import { parseEncryptionKeys } from "../../ground/server-settings.ts";
import { StartError } from "../../ground/errors.ts";
import type { EncryptionKey } from "../../ground/seal.ts";
import { readOrGenerateKeys } from "./data-folder.ts";

const COMMAND = "BUSBAR_ENCRYPTION_KEYS_COMMAND";
const COMMAND_TIMEOUT_MS = 30_000;

/** Returns the keys; the first one encrypts. Throws `StartError` if the command fails or prints something else. */
export async function readEncryptionKeys(
  config: Pick<Config, "dataDir" | "encryptionKeys" | "encryptionKeysCommand">,
): Promise<EncryptionKey[]> {
  if (config.encryptionKeys) return config.encryptionKeys;
  if (config.encryptionKeysCommand)
    return parseEncryptionKeys(await runForOutput(config.encryptionKeysCommand), COMMAND);
  return readOrGenerateKeys(config.dataDir);
}

/** Runs the command without a shell. Its output may be a secret, so no error contains it. */
async function runForOutput(command: string): Promise<string> {
  const [program = "", ...args] = command.split(/\s+/);
  try {
    const { stdout } = await promisify(execFile)(program, args, { timeout: COMMAND_TIMEOUT_MS });
    return stdout.trim();
  } catch (error) {
    throw new StartError(`${COMMAND}: ${program} ${describeReason(error)}`, { cause: error });
  }
}

function describeReason(error: unknown): string {
  if (!(error instanceof Error) || !("code" in error)) return "failed";
  if (error.code === "ENOENT") return "does not exist; give its whole path";
  if ("killed" in error && error.killed === true) return `did not end within ${COMMAND_TIMEOUT_MS / 1_000} s`;
  return `ended with status ${String(error.code)}; run it by hand to see why`;
}
