/** Measures how many requests a server answers in a second. */
import { Pool } from "undici";

interface Load {
  origin: string;
  path: string;
  headers: Record<string, string>;
  /** Further headers, which depend on the body. */
  buildHeaders?(body: string): Record<string, string>;
  /** The body of the nth request. */
  buildBody(nth: number): string;
  connections: number;
  /** Sends for so long, or until `max` requests are answered. */
  forMs: number;
  max?: number;
}

/** Returns the answers per second; throws the first answer that is a refusal. */
export async function measureRate(load: Load): Promise<number> {
  const { origin, path, headers, buildHeaders, buildBody, connections, forMs, max = Infinity } = load;
  const pool = new Pool(origin, { connections });
  const started = performance.now();
  let sent = 0;
  let done = 0;
  const caller = async (): Promise<void> => {
    while (performance.now() - started < forMs && sent < max) {
      const body = buildBody(sent++);
      const all = buildHeaders ? { ...headers, ...buildHeaders(body) } : headers;
      const answer = await pool.request({ method: "POST", path, headers: all, body });
      const text = await answer.body.text();
      if (answer.statusCode >= 300) throw new Error(text);
      done += 1;
    }
  };
  await Promise.all(Array.from({ length: connections }, caller));
  const seconds = (performance.now() - started) / 1_000;
  await pool.close();
  return done / seconds;
}
