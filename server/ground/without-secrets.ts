/** Removes secrets from foreign texts: some servers repeat what they were sent. */

/** A shorter secret may occur in a text by accident. */
const LEAST_LENGTH = 8;

export const withoutSecrets = (text: string, secrets: string[]): string =>
  secrets
    .filter(({ length }) => length >= LEAST_LENGTH)
    .reduce((shown, secret) => shown.replaceAll(secret, "[secret]"), text);
