/**
 * Simulates the front end of AWS's services: checks the signature of a request as AWS's documentation describes it, and reports who
 * signed it. Shares no code with the signer. https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
 */
import { nowMs } from "../../ground/clock.ts";
import type { ArrivedRequest } from "../../simulations/vendor/start-vendor.ts";
import type { VendorAnswer } from "../../simulations/vendor/vendor-answer.ts";
import { createHash, createHmac } from "node:crypto";

export interface SimulatedAws {
  /** Returns the answer that refuses the request; undefined if the service is to answer. */
  admit(request: ArrivedRequest): VendorAnswer | undefined;
  /** Sets the clock ahead. */
  aheadMs: number;
}

/** Path of the security token service, whose refusals have another form. */
export const STS_PATH = "/sts/";

export function openSimulatedAws(account: AwsService): SimulatedAws {
  const simulated: SimulatedAws = {
    aheadMs: 0,
    admit(request) {
      const isSts = request.url.startsWith(STS_PATH);
      const called = isSts ? { ...account, service: "sts" } : account;
      const refusal = findAwsRefusal(request, called, nowMs() + simulated.aheadMs);
      if (isSts) return refusal ? buildStsRefusal(refusal.type, refusal.message) : buildIdentity(account);
      if (!refusal) return undefined;
      const { type, message } = refusal;
      return {
        status: 403,
        headers: { "content-type": "application/x-amz-json-1.1", "x-amzn-errortype": type },
        body: { __type: type, message },
      };
    },
  };
  return simulated;
}

const STS_CODES: Record<string, string> = {
  UnrecognizedClientException: "InvalidClientTokenId",
  InvalidSignatureException: "SignatureDoesNotMatch",
};

const buildStsRefusal = (type: string, Message: string): VendorAnswer => ({
  status: 403,
  headers: {},
  body: { Error: { Code: STS_CODES[type] ?? type, Message, Type: "Sender" }, RequestId: "r-1" },
});

const buildIdentity = ({ accessKeyId }: AwsService): VendorAnswer => ({
  status: 200,
  headers: {},
  body: {
    GetCallerIdentityResponse: {
      GetCallerIdentityResult: {
        Account: "123456789012",
        Arn: `arn:aws:iam::123456789012:user/${accessKeyId}`,
        UserId: accessKeyId,
      },
    },
  },
});

/** Access key of an account, and the service that is called with it. */
interface AwsService {
  service: string;
  region: string;
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken?: string;
}

interface AwsRefusal {
  type:
    | "IncompleteSignature"
    | "InvalidSignatureException"
    | "MissingAuthenticationTokenException"
    | "RequestTimeTooSkewed"
    | "UnrecognizedClientException"
    | "XAmzContentSHA256Mismatch";
  message: string;
}

const AUTHORIZATION =
  /^AWS4-HMAC-SHA256 Credential=([^/, ]+)\/(\d{8})\/([^/, ]+)\/([^/, ]+)\/aws4_request, ?SignedHeaders=([^, ]+), ?Signature=([0-9a-f]{64})$/;
/** Maximum difference of clocks: AWS allows five minutes, S3 and some other services fifteen. */
const MAX_SKEW_MS = 5 * 60_000;
const S3_SKEW_MS = 15 * 60_000;

/** Returns why AWS would refuse the request; undefined if its signature is valid. */
export function findAwsRefusal(
  request: ArrivedRequest,
  account: AwsService,
  nowMs: number,
): AwsRefusal | undefined {
  const values = (name: string) => listValues(request.rawHeaders, name);
  const [authorization, ...more] = values("authorization");
  if (authorization === undefined)
    return { type: "MissingAuthenticationTokenException", message: "Missing Authentication Token" };
  const parts = AUTHORIZATION.exec(authorization);
  if (!parts || more.length > 0)
    return { type: "IncompleteSignature", message: `Authorization header is malformed: ${authorization}` };
  const [, keyId, day, region, service, names = "", signature] = parts;
  const { accessKeyId, sessionToken } = account;
  if (keyId !== accessKeyId || values("x-amz-security-token")[0] !== sessionToken) {
    const message = "The security token included in the request is invalid.";
    return { type: "UnrecognizedClientException", message };
  }
  const [time = "", ...otherTimes] = values("x-amz-date");
  if (otherTimes.length > 0 || day !== time.slice(0, 8))
    return invalid("Date in Credential scope does not match YYYYMMDD from ISO-8601 version of date");
  if (region !== account.region || service !== account.service)
    return invalid("Credential should be scoped to a valid region and to the correct service.");
  const isS3 = service === "s3";
  const sentAt = Date.parse(time.replace(/^(....)(..)(..T..)(..)(..Z)$/, "$1-$2-$3:$4:$5"));
  if (!(Math.abs(nowMs - sentAt) <= (isS3 ? S3_SKEW_MS : MAX_SKEW_MS)))
    return isS3
      ? {
          type: "RequestTimeTooSkewed",
          message: "The difference between the request time and the current time is too large.",
        }
      : invalid(`Signature expired: ${time} is now earlier than the current time - 5 min.`);
  const digest = sha256(request.body);
  const announced = values("x-amz-content-sha256")[0] ?? (isS3 ? "" : digest);
  if (announced !== digest) {
    const message = "The provided 'x-amz-content-sha256' header does not match what was computed.";
    return { type: "XAmzContentSHA256Mismatch", message };
  }
  const unsigned = findUnsigned(request.rawHeaders, names.split(";"));
  if (unsigned !== undefined)
    return invalid(`'${unsigned}' must be a 'SignedHeader' in the AWS Authorization.`);
  const canonical = buildCanonicalRequest(request, names, digest, isS3);
  const toSign = ["AWS4-HMAC-SHA256", time, `${day}/${region}/${service}/aws4_request`, sha256(canonical)];
  if (readSignature(account, day ?? "", toSign.join("\n")) === signature) return undefined;
  return invalid(
    "The request signature we calculated does not match the signature you provided. Check your AWS Secret Access " +
      "Key and signing method. Consult the service documentation for details.",
  );
}

const invalid = (message: string): AwsRefusal => ({ type: "InvalidSignatureException", message });

const sha256 = (data: string | Buffer): string => createHash("sha256").update(data).digest("hex");

function readSignature({ secretAccessKey, region, service }: AwsService, day: string, text: string): string {
  const computeMac = (key: Buffer | string, data: string) => createHmac("sha256", key).update(data);
  let key = computeMac(`AWS4${secretAccessKey}`, day).digest();
  for (const part of [region, service, "aws4_request"]) key = computeMac(key, part).digest();
  return computeMac(key, text).digest("hex");
}

function listValues(rawHeaders: string[], name: string): string[] {
  return rawHeaders.flatMap((written, at) =>
    at % 2 === 0 && written.toLowerCase() === name ? [rawHeaders[at + 1] ?? ""] : [],
  );
}

/** Finds a header that must be signed and is not. */
function findUnsigned(rawHeaders: string[], signed: string[]): string | undefined {
  const names = rawHeaders.filter((_, at) => at % 2 === 0).map((name) => name.toLowerCase());
  return names.find((name) => /^(host|content-type|x-amz-.*)$/.test(name) && !signed.includes(name));
}

function buildCanonicalRequest(
  { method, url, rawHeaders }: ArrivedRequest,
  names: string,
  digest: string,
  isS3: boolean,
) {
  const [path = "", query = ""] = url.split(/\?(.*)/s);
  const headers = names.split(";").map((name) => {
    const value = listValues(rawHeaders, name).map((one) => one.trim().replaceAll(/\s+/g, " "));
    return `${name}:${value.join(",")}\n`;
  });
  return [
    method,
    buildCanonicalPath(path, isS3),
    buildCanonicalQuery(query),
    headers.join(""),
    names,
    digest,
  ].join("\n");
}

/** Builds the canonical path. Services other than S3 resolve `.`, `..` and repeated slashes, and encode what arrived once more. */
function buildCanonicalPath(path: string, isS3: boolean): string {
  if (isS3)
    return path
      .split("/")
      .map((segment) => encodeBytes(decodeBytes(segment)))
      .join("/");
  const resolved: string[] = [];
  for (const segment of path.split("/")) {
    if (segment === "..") resolved.pop();
    else if (segment !== "" && segment !== ".") resolved.push(segment);
  }
  const end = path.endsWith("/") && resolved.length > 0 ? "/" : "";
  return `/${resolved.map(encodeBytes).join("/")}${end}`;
}

function buildCanonicalQuery(query: string): string {
  const pairs = query.split("&").filter((pair) => pair !== "");
  return pairs
    .map((pair) => {
      const [name = "", value = ""] = pair.split(/=(.*)/s);
      return [encodeBytes(decodeBytes(name)), encodeBytes(decodeBytes(value))] as const;
    })
    .toSorted(([a, first], [b, second]) => compare(a, b) || compare(first, second))
    .map(([name, value]) => `${name}=${value}`)
    .join("&");
}

const compare = (left: string, right: string): number => (left < right ? -1 : left > right ? 1 : 0);

/** Both functions work on bytes: a request line is Latin-1, each character one byte. */
const decodeBytes = (text: string): string =>
  text.replaceAll(/%[0-9A-Fa-f]{2}/g, (hex) => String.fromCharCode(Number.parseInt(hex.slice(1), 16)));
const encodeBytes = (text: string): string =>
  [...text]
    .map((one) =>
      /[A-Za-z0-9_.~-]/.test(one) ? one : `%${Buffer.from(one, "latin1").toString("hex").toUpperCase()}`,
    )
    .join("");
