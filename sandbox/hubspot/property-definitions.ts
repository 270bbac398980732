// Property definitions: their JSON form, and the initial ones of every account.

export type PropertyOption = {
  label: string;
  value: string;
  description?: string;
  displayOrder: number;
  hidden: boolean;
};

export type Property = {
  name: string;
  label: string;
  type: string;
  fieldType: string;
  description: string;
  groupName: string;
  options: PropertyOption[];
  displayOrder: number;
  calculated: boolean;
  externalOptions: boolean;
  archived: boolean;
  hasUniqueValue: boolean;
  hidden: boolean;
  hubspotDefined?: boolean;
  modificationMetadata: { archivable: boolean; readOnlyDefinition: boolean; readOnlyValue: boolean };
  formField: boolean;
  dataSensitivity: string;
  createdAt: string;
  updatedAt: string;
  createdUserId?: string;
  updatedUserId?: string;
};

export type PropertyGroup = { name: string; label: string; displayOrder: number; archived: boolean };

const EPOCH = "2020-06-30T15:57:37.277Z";

/** Builds a definition. `spec` is `type/fieldType`, followed by `!` for a unique value or `#` for a read-only one. */
function buildProperty(name: string, label: string, spec = "string/text", options: string[] = []): Property {
  const [type = "string", fieldType = "text"] = spec.replace(/[!#]/g, "").split("/");
  return {
    updatedAt: EPOCH,
    createdAt: EPOCH,
    name,
    label,
    type,
    fieldType,
    description: "",
    groupName: "",
    options: options.map((option, displayOrder) => parseOption(option, displayOrder)),
    displayOrder: -1,
    calculated: false,
    externalOptions: fieldType === "select" && options.length === 0,
    archived: false,
    hasUniqueValue: spec.includes("!"),
    hidden: false,
    hubspotDefined: true,
    modificationMetadata: { archivable: true, readOnlyDefinition: true, readOnlyValue: spec.includes("#") },
    formField: !spec.includes("#"),
    dataSensitivity: "non_sensitive",
  };
}

/** Parses `value` or `value=Label`. */
function parseOption(text: string, displayOrder: number): PropertyOption {
  const [value = "", label = value] = text.split("=");
  return { label, value, displayOrder, hidden: false };
}

const BOOLEAN = ["true=Yes", "false=No"];
const STAGES = [
  "appointmentscheduled=Appointment Scheduled",
  "qualifiedtobuy=Qualified To Buy",
  "presentationscheduled=Presentation Scheduled",
  "decisionmakerboughtin=Decision Maker Bought-In",
  "contractsent=Contract Sent",
  "closedwon=Closed Won",
  "closedlost=Closed Lost",
];
const LIFECYCLE = [
  "subscriber",
  "lead",
  "marketingqualifiedlead",
  "salesqualifiedlead",
  "opportunity",
  "customer",
];
const INDUSTRIES = ["COMPUTER_SOFTWARE", "ELECTRICAL_ELECTRONIC_MANUFACTURING", "RETAIL", "UTILITIES"];

/** Builds the properties that every type has. The names of both timestamps differ between types. */
export function buildSystemProperties(createdProperty: string, modifiedProperty: string): Property[] {
  return [
    buildProperty("hs_object_id", "Record ID", "number/number!#"),
    buildProperty(createdProperty, "Create Date", "datetime/date#"),
    buildProperty(modifiedProperty, "Last Modified Date", "datetime/date#"),
    buildProperty("hs_object_source", "Record source", "string/text#"),
    buildProperty("hs_object_source_label", "Record source label", "string/text#"),
    buildProperty("hs_object_source_id", "Record source ID", "string/text#"),
    buildProperty("hs_merged_object_ids", "Merged record IDs", "string/text#"),
    buildProperty("hubspot_owner_id", "Owner", "enumeration/select"),
  ];
}

const PERSON = [
  buildProperty("phone", "Phone Number", "string/phonenumber"),
  buildProperty("address", "Street Address"),
  buildProperty("city", "City"),
  buildProperty("state", "State/Region"),
  buildProperty("zip", "Postal Code"),
  buildProperty("country", "Country/Region"),
  buildProperty("website", "Website URL"),
  buildProperty("lifecyclestage", "Lifecycle Stage", "enumeration/radio", LIFECYCLE),
  buildProperty("numberofemployees", "Number of Employees", "number/number"),
  buildProperty("annualrevenue", "Annual Revenue", "number/number"),
];

const ENGAGEMENT = [
  buildProperty("hs_timestamp", "Activity date", "datetime/date"),
  buildProperty("hs_body_preview", "Body preview", "string/text#"),
];

/** Properties by type name. Custom and unlisted types have the system properties only. */
export const STANDARD_PROPERTIES: Record<string, Property[]> = {
  contacts: [
    buildProperty("email", "Email", "string/text!"),
    buildProperty("firstname", "First Name"),
    buildProperty("lastname", "Last Name"),
    buildProperty("company", "Company Name"),
    buildProperty("jobtitle", "Job Title"),
    buildProperty("mobilephone", "Mobile Phone Number", "string/phonenumber"),
    buildProperty("date_of_birth", "Date of birth"),
    buildProperty("closedate", "Close Date", "datetime/date"),
    buildProperty("message", "Message", "string/textarea"),
    buildProperty("hs_lead_status", "Lead Status", "enumeration/radio", [
      "NEW",
      "OPEN",
      "IN_PROGRESS",
      "UNQUALIFIED",
    ]),
    buildProperty("hs_buying_role", "Buying Role", "enumeration/checkbox", [
      "BLOCKER",
      "BUDGET_HOLDER",
      "CHAMPION",
      "END_USER",
    ]),
    buildProperty("hs_email_optout", "Unsubscribed from all email", "bool/booleancheckbox", BOOLEAN),
    buildProperty("hs_full_name_or_email", "Full name or email", "string/text#"),
    ...PERSON,
  ],
  companies: [
    buildProperty("name", "Company name"),
    buildProperty("domain", "Company Domain Name"),
    buildProperty("description", "Description", "string/textarea"),
    buildProperty("industry", "Industry", "enumeration/select", INDUSTRIES),
    buildProperty("type", "Type", "enumeration/select", [
      "PROSPECT",
      "PARTNER",
      "RESELLER",
      "VENDOR",
      "OTHER",
    ]),
    buildProperty("founded_year", "Year Founded"),
    buildProperty("is_public", "Is Public", "bool/booleancheckbox", BOOLEAN),
    ...PERSON,
  ],
  deals: [
    buildProperty("dealname", "Deal Name"),
    buildProperty("amount", "Amount", "number/number"),
    buildProperty("closedate", "Close Date", "datetime/date"),
    buildProperty("dealstage", "Deal Stage", "enumeration/radio", STAGES),
    buildProperty("pipeline", "Pipeline", "enumeration/select", ["default=Sales Pipeline"]),
    buildProperty("dealtype", "Deal Type", "enumeration/radio", ["newbusiness", "existingbusiness"]),
    buildProperty("description", "Deal Description", "string/textarea"),
    buildProperty("hs_priority", "Priority", "enumeration/select", ["low", "medium", "high"]),
  ],
  tickets: [
    buildProperty("subject", "Ticket name"),
    buildProperty("content", "Ticket description", "string/textarea"),
    buildProperty("hs_pipeline", "Pipeline", "enumeration/select", ["0=Support Pipeline"]),
    buildProperty("hs_pipeline_stage", "Ticket status", "enumeration/select", [
      "1=New",
      "2=Waiting on contact",
      "3=Waiting on us",
      "4=Closed",
    ]),
    buildProperty("hs_ticket_category", "Category", "enumeration/select", [
      "PRODUCT_ISSUE",
      "BILLING_ISSUE",
      "GENERAL_INQUIRY",
    ]),
    buildProperty("hs_ticket_priority", "Priority", "enumeration/select", ["LOW", "MEDIUM", "HIGH"]),
  ],
  products: [
    buildProperty("name", "Name"),
    buildProperty("price", "Unit price", "number/number"),
    buildProperty("description", "Description"),
    buildProperty("hs_sku", "SKU"),
  ],
  line_items: [
    buildProperty("name", "Name"),
    buildProperty("price", "Unit price", "number/number"),
    buildProperty("quantity", "Quantity", "number/number"),
    buildProperty("amount", "Net price", "number/number#"),
    buildProperty("hs_product_id", "Product ID", "number/number"),
  ],
  quotes: [
    buildProperty("hs_title", "Quote title"),
    buildProperty("hs_expiration_date", "Expiration date", "date/date"),
    buildProperty("hs_status", "Status", "enumeration/select", ["DRAFT", "APPROVAL_NOT_NEEDED", "APPROVED"]),
  ],
  communications: [...ENGAGEMENT, buildProperty("hs_communication_body", "Body", "string/html")],
  tasks: [
    ...ENGAGEMENT,
    buildProperty("hs_task_subject", "Task title"),
    buildProperty("hs_task_body", "Task notes", "string/html"),
    buildProperty("hs_task_status", "Status", "enumeration/select", [
      "NOT_STARTED",
      "IN_PROGRESS",
      "WAITING",
      "COMPLETED",
    ]),
    buildProperty("hs_task_priority", "Priority", "enumeration/select", ["NONE", "LOW", "MEDIUM", "HIGH"]),
  ],
  notes: [...ENGAGEMENT, buildProperty("hs_note_body", "Note body", "string/html")],
  meetings: [
    ...ENGAGEMENT,
    buildProperty("hs_meeting_title", "Title"),
    buildProperty("hs_meeting_body", "Body", "string/html"),
  ],
  calls: [
    ...ENGAGEMENT,
    buildProperty("hs_call_title", "Title"),
    buildProperty("hs_call_body", "Body", "string/html"),
    buildProperty("hs_call_duration", "Duration", "number/number"),
  ],
  emails: [
    ...ENGAGEMENT,
    buildProperty("hs_email_subject", "Subject"),
    buildProperty("hs_email_text", "Text"),
    buildProperty("hs_email_direction", "Direction", "enumeration/select", [
      "EMAIL",
      "INCOMING_EMAIL",
      "FORWARDED_EMAIL",
    ]),
  ],
  users: [
    buildProperty("hs_email", "Email"),
    buildProperty("hs_given_name", "First name"),
    buildProperty("hs_family_name", "Last name"),
  ],
  leads: [
    buildProperty("hs_lead_name", "Lead name"),
    buildProperty("hs_lead_type", "Lead type", "enumeration/select", [
      "NEW_BUSINESS",
      "RE_ATTEMPTING",
      "UPSELL",
    ]),
    buildProperty("hs_lead_label", "Lead label", "enumeration/select", ["WARM", "COLD", "HOT"]),
  ],
};

/** Builds the property that a request to the API describes. */
export function buildCustomProperty(
  input: Partial<Property> & { name: string; label: string },
  now: string,
): Property {
  const base = buildProperty(
    input.name,
    input.label,
    `${input.type ?? "string"}/${input.fieldType ?? "text"}`,
  );
  return {
    ...base,
    ...input,
    externalOptions: input.externalOptions ?? false,
    hubspotDefined: false,
    createdAt: now,
    updatedAt: now,
    createdUserId: "4100",
    updatedUserId: "4100",
    modificationMetadata: { archivable: true, readOnlyDefinition: false, readOnlyValue: false },
    formField: input.formField ?? false,
  };
}
