/** Busbar's proxy as the entrance starts it: keys, caches, usage log and a real PostgreSQL. */
import { acme, openRealProxy, listLines } from "../../../tests/harness/proxy/real-proxy.ts";
import { stockDatabase } from "../../../tests/harness/proxy/stock-database.ts";
import { openMetrics } from "../../../server/metrics/metrics.ts";
import type { Database } from "../../../server/store/database/database.ts";
import { serveContender } from "./contender.ts";

await serveContender(async (origin) => {
  const connectionString = process.env["BENCH_DATABASE_URL"] ?? "";
  const provider = acme(origin, {
    authType: "oauth2",
    oauth2Opts: { grantType: "authorizationCode", authURL: origin, tokenURL: `${origin}/token` },
  });
  const isMetered = process.env["BENCH_METRICS"] === "true";
  const meter = isMetered ? (database: Database) => openMetrics(database).proxy : undefined;
  const proxy = await openRealProxy({ connectionString, provider, meter });
  const stock = await stockDatabase(proxy.database.queries, {
    projectName: isMetered ? "metered" : "default",
    credentials: {
      scheme: "oauth2/authorizationCode",
      accessToken: { token: "provider-token" },
      refreshToken: { token: "refresh-token" },
    },
  });
  return { server: proxy.server, lines: listLines(stock).filter((line) => !line.startsWith("host:")) };
});
