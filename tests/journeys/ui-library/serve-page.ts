/** Bundles the page as a builder's bundler would and serves it. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { build } from "esbuild";

export interface ServedPage {
  url: string;
  close(): Promise<void>;
}

interface PageOptions {
  /** The page's program. Default: the page of the published UI library. */
  entry?: string;
  /** Packages by name, and the files that they are. */
  alias?: Record<string, string>;
}

/** `busbarOrigin` takes the place of the one expression that the library reads its server from. */
export async function servePage(busbarOrigin: string, options: PageOptions = {}): Promise<ServedPage> {
  const { entry = join(import.meta.dirname, "page.js"), alias = {} } = options;
  const { outputFiles } = await build({
    entryPoints: { page: entry },
    alias,
    bundle: true,
    write: false,
    outdir: "/",
    logLevel: "error",
    define: {
      "process.env.REACT_APP_AMP_SERVER": JSON.stringify(busbarOrigin),
      "process.env.NODE_ENV": '"production"',
      "process.env": "{}",
    },
  });
  const files = new Map(outputFiles.map(({ path, text }) => [path, text]));
  const server = createServer((request, response) => {
    const path = request.url?.split("?")[0] ?? "/";
    const file = files.get(path);
    const type = path.endsWith(".js") ? "text/javascript" : path.endsWith(".css") ? "text/css" : "text/html";
    response.setHeader("content-type", `${type}; charset=utf-8`);
    response.end(file ?? HTML);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const HTML = `<!doctype html><html lang="en"><meta charset="utf-8"><title>A builder's page</title>
<link rel="stylesheet" href="/page.css"><div id="root"></div><script src="/page.js"></script></html>`;
