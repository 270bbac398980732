/** `@fastify/http-proxy`, configured as in its documentation. */
import httpProxy from "@fastify/http-proxy";
import Fastify from "fastify";
import { serveContender } from "./contender.ts";

await serveContender(async (origin) => {
  const app = Fastify();
  await app.register(httpProxy, {
    upstream: origin,
    replyOptions: {
      rewriteRequestHeaders: (_, headers) => ({ ...headers, authorization: "Bearer provider-token" }),
    },
  });
  await app.ready();
  return { server: app.server };
});
