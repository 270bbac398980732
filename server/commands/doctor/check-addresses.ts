/** Checks what is reached by an address: Busbar itself from outside with its certificate, the issuer, the collector. */
import { reportBad, reportGood, type Finding } from "../../../cli/doctor/finding.ts";
import { findAuthorityRemedy } from "../../../cli/http/unknown-authority.ts";
import { openOperatorEgress, type OperatorEgress } from "../../egress/operator-egress.ts";
import { readCertificate } from "../../egress/read-certificate.ts";
import { nowMs } from "../../../ground/clock.ts";
import type { Config } from "../../../ground/config.ts";
import type { TelemetryConfig } from "../../../ground/telemetry-config.ts";
import { readMessage } from "../../../ground/errors.ts";

const TIMEOUT_MS = 10_000;
const DAY_MS = 86_400_000;
/** Certificates that renew themselves do so a month before their end. */
const LEAST_DAYS = 14;

export async function checkAddresses(config: Config): Promise<Finding[]> {
  const egress = openOperatorEgress();
  try {
    const found = await Promise.all([
      checkPublic(egress, config),
      checkProxy(egress, config.proxyPublicUrl),
      checkIssuer(egress, config.oidc?.issuer),
      checkCollector(egress, config.telemetry),
    ]);
    return found.flat();
  } finally {
    await egress.close();
  }
}

/** Without BUSBAR_PUBLIC_URL there is nothing in front of the listener, which is checked by its port. */
async function checkPublic(egress: OperatorEgress, { publicUrl }: Config): Promise<Finding[]> {
  const check = "public address";
  if (publicUrl === undefined) {
    return [reportGood(check, "not set: providers and people reach Busbar on this machine only")];
  }
  const cure = "Check DNS, the reverse proxy and BUSBAR_PUBLIC_URL; Busbar must run.";
  const answer = await ask(egress, `${publicUrl}/healthz`);
  if ("fault" in answer) return [reportBad(check, `${publicUrl}: ${answer.fault}`, answer.cure ?? cure)];
  // Busbar itself answers 200 here as long as it runs.
  if (answer.status === 503) {
    const away = "Start Busbar and repair what /readyz of its processes names; then check the load balancer.";
    return [
      reportBad(check, `${publicUrl} answers HTTP 503: its load balancer finds no process ready`, away),
    ];
  }
  if (answer.status !== 200 || !answer.text.includes('"status":"ok"')) {
    return [
      reportBad(
        check,
        `${publicUrl} answers HTTP ${answer.status}, which is not the answer of a Busbar`,
        cure,
      ),
    ];
  }
  return [reportGood(check, `${publicUrl} leads to Busbar`), await checkCertificate(publicUrl)];
}

async function checkProxy(egress: OperatorEgress, url: string | undefined): Promise<Finding[]> {
  const check = "public address of the proxy";
  if (url === undefined) return [];
  const cure = "Check DNS, the reverse proxy and BUSBAR_PROXY_PUBLIC_URL; Busbar must run.";
  const answer = await ask(egress, url);
  if ("fault" in answer) return [reportBad(check, `${url}: ${answer.fault}`, answer.cure ?? cure)];
  // The proxy refuses a call without its headers, and marks the refusal as its own.
  if (!answer.isRefusal) return [reportBad(check, `${url} answers, but not as the proxy of a Busbar`, cure)];
  return [reportGood(check, `${url} leads to the proxy`), await checkCertificate(url)];
}

async function checkCertificate(address: string): Promise<Finding> {
  const url = new URL(address);
  const check = `certificate of ${url.hostname}`;
  if (url.protocol !== "https:") {
    const isLocal = /^(localhost|127\.|\[::1\])/.test(url.hostname);
    if (isLocal) return reportGood(check, "none is needed: the address is this machine");
    return reportBad(
      check,
      "there is none: keys and tokens travel in plain text",
      "Terminate TLS in a reverse proxy.",
    );
  }
  const renew = "Renew it where the reverse proxy keeps it.";
  try {
    const { validTo, issuer } = await readCertificate(url);
    const days = Math.floor((validTo.getTime() - nowMs()) / DAY_MS);
    const detail = `valid for ${days} days, from ${issuer}`;
    return days < LEAST_DAYS ? reportBad(check, detail, renew) : reportGood(check, detail);
  } catch (error) {
    return reportBad(check, `not valid: ${readMessage(error)}`, renew);
  }
}

async function checkIssuer(egress: OperatorEgress, issuer: string | undefined): Promise<Finding[]> {
  if (issuer === undefined) return [];
  const url = `${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`;
  const answer = await ask(egress, url);
  const check = "sign-in issuer";
  const cure = "Check BUSBAR_OIDC_ISSUER: people cannot sign in.";
  if ("fault" in answer) return [reportBad(check, `${url}: ${answer.fault}`, answer.cure ?? cure)];
  if (answer.status !== 200) return [reportBad(check, `${url}: HTTP ${answer.status}`, cure)];
  return [reportGood(check, `${issuer} answers`)];
}

/** Sends empty messages, which a collector takes. In protobuf an empty message has no bytes. */
async function checkCollector(
  egress: OperatorEgress,
  telemetry: TelemetryConfig | undefined,
): Promise<Finding[]> {
  if (!telemetry) return [];
  const { tracesUrl, metricsUrl, protocol } = telemetry;
  const [type, body] = protocol === "http/json" ? ["json", "{}"] : ["x-protobuf", ""];
  const headers = { ...telemetry.headers, "content-type": `application/${type}` };
  return Promise.all(
    [tracesUrl, metricsUrl].flatMap((url) => (url ? [collect(egress, url, { body, headers })] : [])),
  );
}

async function collect(
  egress: OperatorEgress,
  url: URL,
  message: { body: string; headers: Record<string, string> },
): Promise<Finding> {
  const check = "collector";
  const cure = "Check the collector, OTEL_EXPORTER_OTLP_ENDPOINT and OTEL_EXPORTER_OTLP_HEADERS.";
  const answer = await ask(egress, url.href, message);
  if ("fault" in answer) return reportBad(check, `${url.href}: ${answer.fault}`, answer.cure ?? cure);
  if (answer.status >= 300) return reportBad(check, `${url.href} answers HTTP ${answer.status}`, cure);
  return reportGood(check, `${url.href} takes messages`);
}

/** `cure`: of a fault whose cause is known. */
type Answer =
  | { status: number; text: string; isRefusal: boolean }
  | { fault: string; cure?: string | undefined };

async function ask(
  egress: OperatorEgress,
  address: string,
  post?: { body: string; headers: Record<string, string> },
): Promise<Answer> {
  try {
    const { status, headers, body } = await egress.send({
      url: new URL(address),
      method: post ? "POST" : "GET",
      headers: post?.headers,
      body: post?.body,
      totalTimeoutMs: TIMEOUT_MS,
      maxBytes: 1024 * 1024,
    });
    return { status, text: body.toString("utf8"), isRefusal: headers["x-amp-error"] !== undefined };
  } catch (error) {
    return { fault: readMessage(error), cure: findAuthorityRemedy(error) };
  }
}
