/** Describes a user agent: the browser or program, and its system. */

/** Returns "Firefox 140 on Windows", "curl 8", or the text itself where nothing is known of it. */
export function describeProgram(userAgent: string): string {
  const program = find(BROWSERS, userAgent) ?? findLeadingProgram(userAgent);
  if (program === undefined) return userAgent;
  const system = find(SYSTEMS, userAgent);
  return system === undefined ? program : `${program} on ${system}`;
}

/** The first that fits counts: nearly every browser also names those whose pages it wants to be sent. */
const BROWSERS: readonly [RegExp, string][] = [
  [/\bEdg(?:A|iOS)?\/(\d+)/, "Edge"],
  [/\bOPR\/(\d+)/, "Opera"],
  [/\bSamsungBrowser\/(\d+)/, "Samsung Internet"],
  [/\b(?:Firefox|FxiOS)\/(\d+)/, "Firefox"],
  [/\b(?:Headless)?(?:Chrome|Chromium|CriOS)\/(\d+)/, "Chrome"],
  [/\bVersion\/(\d+)[\d.]* (?:Mobile\/\w+ )?Safari\//, "Safari"],
  [/^busbar-cli\b/, "Busbar's command line"],
];

/** An iPhone says "like Mac OS X", Android and ChromeOS say "Linux" or "X11". */
const SYSTEMS: readonly [RegExp, string][] = [
  [/\biPhone\b/, "iPhone"],
  [/\biPad\b/, "iPad"],
  [/\bAndroid\b/, "Android"],
  [/\bCrOS\b/, "ChromeOS"],
  [/\bWindows\b/, "Windows"],
  [/\bMac OS X\b|\bMacintosh\b/, "macOS"],
  [/\bLinux\b/, "Linux"],
];

function find(known: readonly [RegExp, string][], userAgent: string): string | undefined {
  for (const [pattern, word] of known) {
    const found = pattern.exec(userAgent);
    if (found) return found[1] === undefined ? word : `${word} ${found[1]}`;
  }
  return undefined;
}

/** Programs begin with their name and version: "curl/8.5.0", "python-requests/2.32". */
function findLeadingProgram(userAgent: string): string | undefined {
  const [, name, version = ""] = /^([A-Za-z][\w.-]*)(?:\/v?(\d+)[\w.+-]*)?(?: |$)/.exec(userAgent) ?? [];
  if (name === undefined || name === "Mozilla") return undefined;
  return version === "" ? name : `${name} ${version}`;
}
