/** Where files lie that the code reads. */
import { join } from "node:path";

/**
 * The folder of the checkout or of the installed package. A bundle must put this module directly into a folder below it, as it
 * is here.
 */
export const PROJECT_ROOT = join(import.meta.dirname, "..");
