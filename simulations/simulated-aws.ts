/** Front end of AWS's services: checks the signature of a request, and reports who signed it. */
import { nowMs } from "../ground/clock.ts";
import { findAwsRefusal, type ArrivedRequest, type AwsService } from "./aws-signature-check.ts";
import type { SimulatedAnswer } from "./simulated-answer.ts";

export interface SimulatedAws {
  /** Returns the answer that refuses the request; undefined if the service is to answer. */
  admit(request: ArrivedRequest): SimulatedAnswer | undefined;
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
      if (isSts) return refusal ? buildStsRefusal(refusal.type, refusal.message) : identity(account);
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

const buildStsRefusal = (type: string, Message: string): SimulatedAnswer => ({
  status: 403,
  headers: {},
  body: { Error: { Code: STS_CODES[type] ?? type, Message, Type: "Sender" }, RequestId: "r-1" },
});

const identity = ({ accessKeyId }: AwsService): SimulatedAnswer => ({
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
