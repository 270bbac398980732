/** The secrets that a journey has used, and where any of them can be read in whatever it has left behind. */
import { readdir, readFile } from "node:fs/promises";
import { join, relative } from "node:path";

interface KnownSecrets {
  /** Remembers a secret under a name to speak of it, and hands it back. */
  add(name: string, secret: string): string;
  /** The names of those that can be read in `content`, as they are or in a usual encoding. */
  readableIn(content: Buffer | string): string[];
  count(): number;
}

const SHORTEST = 12;

export function listKnownSecrets(): KnownSecrets {
  const forms = new Map<string, { name: string; bytes: Buffer }>();
  const names = new Set<string>();
  return {
    add(name, secret) {
      if (secret.length < SHORTEST) throw new Error(`${name} is too short to be looked for`);
      names.add(name);
      for (const form of listForms(secret)) forms.set(form, { name, bytes: Buffer.from(form) });
      return secret;
    },
    readableIn(content) {
      const buffer = Buffer.isBuffer(content) ? content : Buffer.from(content);
      const found = [...forms.values()].filter(({ bytes }) => buffer.includes(bytes));
      return [...new Set(found.map(({ name }) => name))];
    },
    count: () => names.size,
  };
}

/** Lists the forms of a secret: text, percent-encoded, hexadecimal, and in base64 whatever stands before it. */
function listForms(secret: string): string[] {
  const bytes = Buffer.from(secret);
  const shifted = [0, 1, 2].flatMap((shift) => {
    const text = Buffer.concat([Buffer.alloc(shift), bytes]).toString("base64url");
    // The first and the last characters also depend on what stands around the secret.
    const inner = text.slice(shift === 0 ? 0 : shift + 1, (bytes.length + shift) % 3 === 0 ? undefined : -1);
    return [inner, inner.replaceAll("-", "+").replaceAll("_", "/")];
  });
  return [
    secret,
    encodeURIComponent(secret),
    JSON.stringify(secret).slice(1, -1),
    bytes.toString("hex"),
    ...shifted,
  ];
}

/** Every file below `folder`, by its path in it. */
export async function* listFilesBelow(folder: string): AsyncGenerator<{ path: string; content: Buffer }> {
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile()) yield { path: relative(folder, path), content: await readFile(path) };
  }
}

export const getSigningKey = (destination: object): string =>
  /whsec_[A-Za-z0-9+/=]+/.exec(JSON.stringify(destination))?.[0] ?? "";
