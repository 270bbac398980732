/** Fields of Outlook contacts, which are the same in every account. */
import type { KnownFields } from "../../connector-kit/declarative/rules/metadata-rules.ts";

const text = { type: "string" as const };
const texts = { type: "other" as const };
const address = { type: "other" as const };
const set = { readOnly: true };

export const contactFields: KnownFields = {
  id: { ...text, ...set },
  changeKey: { ...text, ...set },
  createdDateTime: { type: "datetime", ...set },
  lastModifiedDateTime: { type: "datetime", ...set },
  parentFolderId: text,
  displayName: text,
  title: text,
  givenName: text,
  middleName: text,
  surname: text,
  nickName: text,
  initials: text,
  generation: text,
  fileAs: text,
  birthday: { type: "datetime" },
  companyName: text,
  department: text,
  officeLocation: text,
  yomiGivenName: text,
  yomiSurname: text,
  yomiCompanyName: text,
  jobTitle: text,
  profession: text,
  manager: text,
  assistantName: text,
  spouseName: text,
  children: texts,
  personalNotes: text,
  mobilePhone: text,
  homePhones: texts,
  businessPhones: texts,
  emailAddresses: texts,
  imAddresses: texts,
  businessHomePage: text,
  homeAddress: address,
  businessAddress: address,
  otherAddress: address,
  categories: texts,
};
