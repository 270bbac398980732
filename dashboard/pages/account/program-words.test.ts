/** User agents of browsers and programs as they are sent. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { describeProgram } from "./program-words.ts";

const LIKE = "AppleWebKit/537.36 (KHTML, like Gecko)";

/** Headers of programs, each with what a person should read. */
const AGENTS: Record<string, string> = {
  [`Mozilla/5.0 (X11; Linux x86_64) ${LIKE} Chrome/141.0.0.0 Safari/537.36`]: "Chrome 141 on Linux",
  [`Mozilla/5.0 (X11; Linux x86_64) ${LIKE} HeadlessChrome/141.0.0.0 Safari/537.36`]: "Chrome 141 on Linux",
  [`Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${LIKE} Chrome/141.0.0.0 Safari/537.36 Edg/141.0.0.0`]:
    "Edge 141 on Windows",
  [`Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) ${LIKE} Chrome/140.0.0.0 Safari/537.36 OPR/125.0.0.0`]:
    "Opera 125 on macOS",
  [`Mozilla/5.0 (Linux; Android 10; K) ${LIKE} Chrome/141.0.0.0 Mobile Safari/537.36`]:
    "Chrome 141 on Android",
  [`Mozilla/5.0 (Linux; Android 10; K) ${LIKE} SamsungBrowser/28.0 Chrome/130.0.0.0 Mobile Safari/537.36`]:
    "Samsung Internet 28 on Android",
  [`Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) ${LIKE} Chrome/141.0.0.0 Safari/537.36`]:
    "Chrome 141 on ChromeOS",
  "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:143.0) Gecko/20100101 Firefox/143.0":
    "Firefox 143 on Windows",
  "Mozilla/5.0 (X11; Ubuntu; Linux x86_64; rv:143.0) Gecko/20100101 Firefox/143.0": "Firefox 143 on Linux",
  "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.0 Safari/605.1.15":
    "Safari 26 on macOS",
  "Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.0 Mobile/15E148 Safari/604.1":
    "Safari 26 on iPhone",
  "Mozilla/5.0 (iPad; CPU OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/141.0.7390.41 Mobile/15E148 Safari/604.1":
    "Chrome 141 on iPad",
  "curl/8.5.0": "curl 8",
  "python-requests/2.32.3": "python-requests 2",
  "PostmanRuntime/7.48.0": "PostmanRuntime 7",
  "busbar-cli": "Busbar's command line",
  node: "node",
  "Mozilla/5.0 (compatible; Something/1.0)": "Mozilla/5.0 (compatible; Something/1.0)",
  "<img src=x>": "<img src=x>",
  "": "",
};

test("browser and system are named in words; what is not known is shown as it was sent", () => {
  const words = Object.keys(AGENTS).map((agent) => [agent, describeProgram(agent)]);
  assert.deepEqual(Object.fromEntries(words), AGENTS);
});
