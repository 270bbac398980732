/** Writes the compressed script of the reader to standard output: its package has it in a Fastify plugin. */
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import scalar from "@scalar/fastify-api-reference";
import Fastify from "fastify";

// Never listens.
const app = Fastify();
app.register(scalar, { routePrefix: "/docs", configuration: { url: "/openapi.json" } });
const answer = await app.inject("/docs/js/scalar.js");
await app.close();
if (answer.statusCode !== 200) throw new Error(`the reader's package answered ${answer.statusCode}`);
process.stdout.write(await promisify(gzip)(answer.rawPayload));
