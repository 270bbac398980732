/** Replaces ids, times, secrets and addresses of a run, so that examples are the same after each run. */

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g;
const FIRST_TIME_MS = Date.UTC(2026, 0, 15, 9);

/** Replacements; the first rule that matches is used. */
const SECRETS: [RegExp, string][] = [
  [/bb_[\w-]{20,}/g, "bb_Zk3vQ9wq1zT7mP2c"],
  [/bb_\w{4}…/g, "bb_Zk3v…"],
  [/whsec_[A-Za-z0-9+/=]+/g, "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD"],
  [
    /-----BEGIN PUBLIC KEY-----[^-]+-----END PUBLIC KEY-----/g,
    "-----BEGIN PUBLIC KEY-----\\nMIIBIjANBgkqhkiG9w0B…\\n-----END PUBLIC KEY-----",
  ],
  [/"(token|apiKey)": "[^"]{20,}"/g, '"$1": "pat-3f9c1d2e8b7a"'],
  [/"state": "[\w-]{16,}"/g, '"state": "k3v9wq1z"'],
  [/"code": "[^"]+"/g, '"code": "c0ffee42"'],
  [/state=[\w-]{16,}/g, "state=k3v9wq1z"],
  [/code_challenge=[\w-]{16,}/g, "code_challenge=E9Melhoa2Owv"],
  [/"durationMs": \d+/g, '"durationMs": 42'],
  [/ in \d+ ms/g, " in 42 ms"],
];

/** Returns the same text for every run with the same requests. */
export function anonymize(text: string): string {
  const ids = new Map<string, string>();
  // The order of times is kept.
  const times = [...new Set(text.match(TIME))].toSorted((a, b) => Date.parse(a) - Date.parse(b));
  const withoutSecrets = SECRETS.reduce((rest, [secret, shown]) => rest.replaceAll(secret, shown), text);
  return withoutPorts(withoutSecrets)
    .replaceAll(UUID, (id) => remember(ids, id, (nth) => `0198c5f2-7a00-7000-8000-${formatHex(nth)}`))
    .replaceAll(TIME, (time) => readTime(times.indexOf(time)));
}

/** Providers and receivers of the recording listen on local ports; the examples show the hosts that they simulate. */
const withoutPorts = (text: string): string =>
  text
    .replaceAll(/http:\/\/127\.0\.0\.1:\d+\/hook/g, "https://app.example.com/hooks")
    .replaceAll(/http:\/\/127\.0\.0\.1:\d+\/(?=v1\/uploads|callbacks|docs)/g, "https://busbar.example.com/")
    .replaceAll(/http%3A%2F%2F127\.0\.0\.1%3A\d+/g, "https%3A%2F%2Fbusbar.example.com")
    .replaceAll(/http:\/\/127\.0\.0\.1:\d+(?:\/hubspot)?/g, "https://api.hubapi.com");

function remember(known: Map<string, string>, value: string, make: (nth: number) => string): string {
  const shown = known.get(value) ?? make(known.size + 1);
  known.set(value, shown);
  return shown;
}

const formatHex = (nth: number): string => nth.toString(16).padStart(12, "0");
const readTime = (nth: number): string => new Date(FIRST_TIME_MS + nth * 1_000).toISOString();
