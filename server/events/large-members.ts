/** Names the members of an event that may be too large for a message. */

/** Each with the member that holds its URL instead. The first is replaced first, because receivers need it least. */
export const LARGE_MEMBERS = [
  ["lastConfig", "lastConfigURL"],
  ["config", "configURL"],
] as const;
