/** `npm run demo`: checks the version of Node.js, then runs the tour. */
import { requireNode } from "../server/require-node.mjs";

requireNode();
await import("./run.ts");
