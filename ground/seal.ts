/** Encrypts secrets for storage; a sealed value can only be decrypted for the row it was sealed for. */
import { createCipheriv, createDecipheriv, createSecretKey, randomBytes, type KeyObject } from "node:crypto";

/** The place of a sealed value. It is authenticated, so a value copied to another place cannot be decrypted. */
export interface SealedPlace {
  table: string;
  column: string;
  rowId: string;
  projectId: string;
}

/** Returns a function that names the place of a row's value in a column. */
export const placeIn =
  (table: string, column: string) =>
  ({ id, projectId }: { id: string; projectId: string }): SealedPlace => ({
    table,
    column,
    rowId: id,
    projectId,
  });

export interface EncryptionKey {
  id: string;
  /** 32 bytes. */
  secret: Buffer;
}

/** The text of a sealed value: `v1.<key id>.<nonce>.<ciphertext and tag>`, the last two in base64url. */
const FORMAT = "v1";
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

export class Sealer {
  readonly #keys = new Map<string, KeyObject>();
  readonly #currentId: string;

  /** The first key encrypts; every key decrypts. */
  constructor(keys: EncryptionKey[]) {
    const [first] = keys;
    if (!first) throw new Error("a sealer needs at least one key");
    for (const key of keys) {
      if (key.secret.length !== 32) throw new Error(`encryption key "${key.id}" is not 32 bytes long`);
      this.#keys.set(key.id, createSecretKey(key.secret));
    }
    this.#currentId = first.id;
  }

  get currentKeyId(): string {
    return this.#currentId;
  }

  /** Returns whether values sealed with this key can be decrypted. */
  has(keyId: string): boolean {
    return this.#keys.has(keyId);
  }

  seal(plaintext: string, place: SealedPlace): string {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv("aes-256-gcm", this.#key(this.#currentId), nonce);
    cipher.setAAD(encodeSealedPlace(place));
    const sealed = Buffer.concat([cipher.update(plaintext, "utf8"), cipher.final(), cipher.getAuthTag()]);
    return [FORMAT, this.#currentId, nonce.toString("base64url"), sealed.toString("base64url")].join(".");
  }

  /** Returns the plaintext. Throws if the value was altered or moved, or if its key is missing. */
  open(text: string, place: SealedPlace): string {
    const { keyId, nonce, sealed } = parse(text);
    const decipher = createDecipheriv("aes-256-gcm", this.#key(keyId), nonce);
    decipher.setAAD(encodeSealedPlace(place));
    decipher.setAuthTag(sealed.subarray(sealed.length - TAG_BYTES));
    const body = sealed.subarray(0, sealed.length - TAG_BYTES);
    return Buffer.concat([decipher.update(body), decipher.final()]).toString("utf8");
  }

  #key(id: string): KeyObject {
    const key = this.#keys.get(id);
    if (!key)
      throw new Error(`no encryption key "${id}"; add it to BUSBAR_ENCRYPTION_KEYS to read this value`);
    return key;
  }
}

function parse(text: string): { keyId: string; nonce: Buffer; sealed: Buffer } {
  const [format, keyId, nonce, sealed, ...rest] = text.split(".");
  if (format !== FORMAT || !keyId || !nonce || !sealed || rest.length > 0)
    throw new Error("not a sealed value");
  const bytes = Buffer.from(sealed, "base64url");
  if (bytes.length < TAG_BYTES) throw new Error("not a sealed value");
  return { keyId, nonce: Buffer.from(nonce, "base64url"), sealed: bytes };
}

/** JSON separates the four parts unambiguously. */
const encodeSealedPlace = (place: SealedPlace): Buffer =>
  Buffer.from(JSON.stringify([place.table, place.column, place.rowId, place.projectId]));
