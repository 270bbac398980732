/** Runs the sandbox CRMs in a separate process without rate limits; prints address and token. */
import { startSandbox } from "../../sandbox/sandbox.ts";

const sandbox = await startSandbox({ limits: "off" });
const { accessToken } = sandbox.hubspot.mintToken({ expiresInSeconds: 86_400 });
console.log(JSON.stringify({ url: sandbox.url, token: accessToken }));
