/** Why our API differs from the public one, where it does. Lines that no longer fit anything fail `npm run parity`. */
import type { Explanation } from "./explain.ts";

export const EXPLANATIONS: Explanation[] = [];
