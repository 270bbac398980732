/** What every part of the server uses: Busbar's client with the API key, which no browser sees, and the database. */
import { Busbar } from "@busbar/client";
import { Pool } from "pg";

const { BUSBAR_URL, BUSBAR_API_KEY, DATABASE_URL } = process.env;

export const busbar = new Busbar({
  url: BUSBAR_URL ?? "http://127.0.0.1:4000",
  apiKey: BUSBAR_API_KEY ?? "",
  project: "default",
});

export const database = new Pool({ connectionString: DATABASE_URL });
// A connection that waits may be ended by the database, for example at its restart; the next query opens another.
database.on("error", (error) => process.stderr.write(`${error.message}\n`));
