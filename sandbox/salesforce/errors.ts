// Errors of Salesforce: an array at the top level for a request, `statusCode` instead of `errorCode` per record.

import { Refused, type SandboxAnswer, type Data } from "../exchange.ts";

export type SaveError = { code: string; message: string; fields?: string[]; duplicateResult?: Data };

export function buildErrorAnswer(
  status: number,
  code: string,
  message: string,
  fields?: string[],
): SandboxAnswer {
  return { status, body: [{ message, errorCode: code, ...(fields === undefined ? {} : { fields }) }] };
}

export function refuse(status: number, code: string, message: string, fields?: string[]): Refused {
  return new Refused(buildErrorAnswer(status, code, message, fields));
}

/** Builds the error of a single-record endpoint. */
export function buildSaveError(errors: SaveError[]): Refused {
  const status = errors.some((error) => NOT_FOUND.has(error.code)) ? 404 : 400;
  const body = errors.map(({ code, message, fields, duplicateResult }) => ({
    message,
    errorCode: code,
    ...(fields === undefined ? {} : { fields }),
    ...(duplicateResult === undefined ? {} : { duplicateResult }),
  }));
  return new Refused({ status, body });
}

const NOT_FOUND = new Set(["NOT_FOUND", "ENTITY_IS_DELETED"]);

/** Builds the error inside a collection's result. */
export function showSaveError(error: SaveError): Data {
  return {
    statusCode: error.code,
    message: error.message,
    fields: error.fields ?? [],
    ...(error.duplicateResult === undefined ? {} : { duplicateResult: error.duplicateResult }),
  };
}

export const ROLLED_BACK: SaveError = {
  code: "ALL_OR_NONE_OPERATION_ROLLED_BACK",
  message: "Record rolled back because not all records were valid and the request was using AllOrNone header",
};
