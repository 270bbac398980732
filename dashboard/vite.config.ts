/** Builds the dashboard into the folder that the command line names. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import react from "@vitejs/plugin-react";
import { defineConfig, type Plugin } from "vite";

const API =
  process.argv.find((argument) => argument.startsWith("--api="))?.slice(6) ?? "http://127.0.0.1:4000";

/** Adds the script that runs before the first paint, which cannot be a module. */
function addFirstPaint(): Plugin {
  let file = "";
  return {
    name: "first-paint",
    apply: "build",
    buildStart() {
      const source = readFileSync(join(import.meta.dirname, "first-paint.js"), "utf8");
      file = this.emitFile({ type: "asset", name: "first-paint.js", source });
    },
    transformIndexHtml: {
      order: "post",
      handler(_html, { bundle }) {
        const found = Object.values(bundle ?? {}).find(
          (one) => one.type === "asset" && one.names.includes("first-paint.js"),
        );
        if (!found) throw new Error(`first-paint.js (${file}) is not in the bundle`);
        return [{ tag: "script", attrs: { src: `/${found.fileName}` }, injectTo: "head-prepend" }];
      },
    },
  };
}

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), addFirstPaint()],
  build: {
    target: "es2024",
    reportCompressedSize: false,
    chunkSizeWarningLimit: 1_000,
    license: { fileName: "licences.json" },
  },
  server: {
    port: 4200,
    proxy: { "^/(v1|write|read|search|callbacks|docs|openapi.json|readyz)": { target: API } },
  },
});
