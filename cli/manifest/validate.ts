/** Checks a manifest without a server, with the same rules that the server has. */
import { checkManifest } from "../../server/manifest/check-manifest.ts";
import { parseManifest } from "../../server/manifest/parse-manifest.ts";
import type { Json } from "../http/json.ts";
import { builtInCatalog } from "./catalog.ts";
import type { Finding } from "./tell-complaints.ts";

export type ManifestFinding = Finding & { path: string };

/** In the order of the file. */
export const validate = (source: string): ManifestFinding[] =>
  checkManifest(source, builtInCatalog()).complaints;

/** The manifest as plain data, undefined when it cannot be read. */
export const dataOf = (source: string): Json | undefined => parseManifest(source).document?.data;
