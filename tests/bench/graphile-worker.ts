/**
 * The reference for finished writes: a graphile-worker, as fast as its documentation tells how to make it, whose task makes the
 * same call and keeps nothing of it.
 */
import { Logger, run } from "graphile-worker";
import { Pool } from "undici";

const [connectionString = "", sandboxUrl = "", token = "", connections = "64"] = process.argv.slice(2);
const pool = new Pool(sandboxUrl, { connections: Number(connections) });
const headers = { "content-type": "application/json", authorization: `Bearer ${token}` };
const path = "/hubspot/crm/v3/objects/companies";

await run({
  connectionString,
  // Its own log has a line for each job.
  logger: new Logger(() => () => {}),
  noHandleSignals: true,
  taskList: {
    create: async (payload) => {
      const body = JSON.stringify({ properties: payload });
      const answer = await pool.request({ method: "POST", path, headers, body });
      const text = await answer.body.text();
      if (answer.statusCode >= 300) throw new Error(text);
    },
  },
  preset: {
    worker: {
      connectionString,
      concurrentJobs: Number(connections),
      maxPoolSize: 10,
      pollInterval: 100,
      // https://worker.graphile.org/docs/performance#batching
      localQueue: { size: 500 },
      completeJobBatchDelay: 0,
      failJobBatchDelay: 0,
    },
  },
});
process.stdout.write("ready\n");
