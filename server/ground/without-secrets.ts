/** Takes secrets out of what others said: some repeat what they were sent. */

/** A shorter text may stand in an answer for many other reasons. */
const LEAST_LENGTH = 8;

export const withoutSecrets = (text: string, secrets: string[]): string =>
  secrets
    .filter(({ length }) => length >= LEAST_LENGTH)
    .reduce((shown, secret) => shown.replaceAll(secret, "[secret]"), text);
