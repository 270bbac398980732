/** Members of an event that may be too large for a message. */

/** Each with the member that then says where it is; the one that is missed least goes first. */
export const LARGE_MEMBERS = [
  ["lastConfig", "lastConfigURL"],
  ["config", "configURL"],
] as const;
