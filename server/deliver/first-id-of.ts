/** Event ids sort by time, so a time can stand in for the first id that could have been made at it. */

/** The smallest UUIDv7 of this millisecond. */
export function firstIdOf(timeMs: number): string {
  const hex = Math.max(0, Math.floor(timeMs)).toString(16).padStart(12, "0");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-7000-8000-000000000000`;
}
