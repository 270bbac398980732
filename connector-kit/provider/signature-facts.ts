/** Checks what a provider's facts and a customer say about AWS signatures: service and region. Pure. */
import type { ProviderInfo } from "../provider-info.ts";
import { fillTemplate, listPlaceholders, TemplateError } from "./template.ts";

/** The region in signatures. Throws `TemplateError` for a customer's value that is no region of AWS. */
export function readSignatureRegion(region: string, values: Record<string, string>): string {
  const [name] = listPlaceholders(region);
  const filled = fillTemplate(region, values);
  // In AWS's addresses the region is beside names that customers choose: `s3` in its place would be another service.
  if (name === undefined || REGION.test(filled)) return filled;
  throw new TemplateError(`${JSON.stringify(filled)} is no region of AWS, such as eu-central-1`, name);
}

const REGION = /^[a-z]{2,4}(?:-[a-z]{2,12}){1,3}-\d{1,2}$/;

/** Names of services, and of regions that a provider's facts name. */
const NAME_IN_SCOPE = /^[a-z0-9-]{1,64}$/;

/** Returns the faults of the members that are about signatures: member and message. */
export function findSignatureFaults(info: ProviderInfo): [member: string, message: string][] {
  const { awsSignature, authHealthCheck, authType, basicOpts, metadata } = info;
  const { awsService } = authHealthCheck ?? {};
  const faults: [string, string][] = [];
  const requireName = (member: string, value: string) => {
    if (!NAME_IN_SCOPE.test(value)) faults.push([member, "must have lower-case letters, digits and dashes"]);
  };
  if (awsService !== undefined) requireName("authHealthCheck.awsService", awsService);
  if (!awsSignature) {
    if (awsService !== undefined)
      faults.push(["authHealthCheck.awsService", "is only for providers with awsSignature"]);
    return faults;
  }
  const { service, region } = awsSignature;
  if (authType !== "basic" || basicOpts?.apiKeyAsBasic) {
    const message = "needs authType basic: user name and password are the two parts of the access key";
    faults.push(["awsSignature", message]);
  }
  requireName("awsSignature.service", service);
  const input = /^\{\{\.(\w+)\}\}$/.exec(region)?.[1];
  if (input === undefined) requireName("awsSignature.region", region);
  else if (!metadata?.input?.some(({ name }) => name === input))
    faults.push(["awsSignature.region", `"${input}" is not one of metadata.input`]);
  return faults;
}
