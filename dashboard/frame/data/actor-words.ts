/** Words for who did something. */

interface Known {
  keys: readonly { id: string; label: string }[];
  people: readonly { id: string; fullName?: string; primaryEmail?: string }[];
}

/**
 * Returns the name of a person, the label of a key, or the user's reference. `api:<operation>` is a call with a key whose id
 * was not kept. The builder's own code may have sent any other words, which are returned as they are, like ids of those who
 * are gone, shortened.
 */
export function describeActor(actor: string, { keys, people }: Known): string {
  const [, kind, rest = ""] = /^(apiKey|builder|consumer|api):(.+)$/s.exec(actor) ?? [];
  if (kind === "apiKey") return `API key ${keys.find(({ id }) => id === rest)?.label ?? shorten(rest)}`;
  if (kind === "consumer") return `user ${rest}`;
  if (kind === "api") return `API (${rest})`;
  if (kind !== "builder") return actor;
  const person = people.find(({ id }) => id === rest);
  return person?.fullName ?? person?.primaryEmail ?? `person ${shorten(rest)}`;
}

const UUID = /^[\da-f]{8}-[\da-f-]{27}$/;

const shorten = (id: string): string => (UUID.test(id) ? `${id.slice(0, 8)}…` : id);
