/** Keeps the direction of a name within the name, where it is joined with other words in one text. */

/** Letters that are written from right to left, and characters that change the direction. */
const DIRECTED = /[\u0590-\u08ff\u200e\u200f\u202a-\u202e\u2066-\u2069\ufb1d-\ufefc]/;

/** Returns the name between a first strong isolate and its end, if it has a direction of its own. */
export const isolateName = (name: string): string => (DIRECTED.test(name) ? `\u2068${name}\u2069` : name);
