/** Removes secrets from the texts of other servers, because some servers repeat the request in an error. */

/** Shorter secrets are not removed, because the same characters may occur in a text by chance. */
const LEAST_LENGTH = 8;

export const withoutSecrets = (text: string, secrets: string[]): string =>
  secrets
    .filter(({ length }) => length >= LEAST_LENGTH)
    .reduce((shown, secret) => shown.replaceAll(secret, "[secret]"), text);
