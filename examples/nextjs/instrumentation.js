/** Next.js calls this once, when the server starts. */
export async function register() {
  if (process.env.NEXT_RUNTIME === "nodejs") await (await import("./lib/set-up.js")).setUp();
}
