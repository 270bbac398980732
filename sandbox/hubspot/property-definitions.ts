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
function prop(name: string, label: string, spec = "string/text", options: string[] = []): Property {
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
export function systemProperties(createdProperty: string, modifiedProperty: string): Property[] {
  return [
    prop("hs_object_id", "Record ID", "number/number!#"),
    prop(createdProperty, "Create Date", "datetime/date#"),
    prop(modifiedProperty, "Last Modified Date", "datetime/date#"),
    prop("hs_object_source", "Record source", "string/text#"),
    prop("hs_object_source_label", "Record source label", "string/text#"),
    prop("hs_object_source_id", "Record source ID", "string/text#"),
    prop("hs_merged_object_ids", "Merged record IDs", "string/text#"),
    prop("hubspot_owner_id", "Owner", "enumeration/select"),
  ];
}

const PERSON = [
  prop("phone", "Phone Number", "string/phonenumber"),
  prop("address", "Street Address"),
  prop("city", "City"),
  prop("state", "State/Region"),
  prop("zip", "Postal Code"),
  prop("country", "Country/Region"),
  prop("website", "Website URL"),
  prop("lifecyclestage", "Lifecycle Stage", "enumeration/radio", LIFECYCLE),
  prop("numberofemployees", "Number of Employees", "number/number"),
  prop("annualrevenue", "Annual Revenue", "number/number"),
];

const ENGAGEMENT = [
  prop("hs_timestamp", "Activity date", "datetime/date"),
  prop("hs_body_preview", "Body preview", "string/text#"),
];

/** Properties by type name. Custom and unlisted types have the system properties only. */
export const STANDARD_PROPERTIES: Record<string, Property[]> = {
  contacts: [
    prop("email", "Email", "string/text!"),
    prop("firstname", "First Name"),
    prop("lastname", "Last Name"),
    prop("company", "Company Name"),
    prop("jobtitle", "Job Title"),
    prop("mobilephone", "Mobile Phone Number", "string/phonenumber"),
    prop("date_of_birth", "Date of birth"),
    prop("closedate", "Close Date", "datetime/date"),
    prop("message", "Message", "string/textarea"),
    prop("hs_lead_status", "Lead Status", "enumeration/radio", ["NEW", "OPEN", "IN_PROGRESS", "UNQUALIFIED"]),
    prop("hs_buying_role", "Buying Role", "enumeration/checkbox", [
      "BLOCKER",
      "BUDGET_HOLDER",
      "CHAMPION",
      "END_USER",
    ]),
    prop("hs_email_optout", "Unsubscribed from all email", "bool/booleancheckbox", BOOLEAN),
    prop("hs_full_name_or_email", "Full name or email", "string/text#"),
    ...PERSON,
  ],
  companies: [
    prop("name", "Company name"),
    prop("domain", "Company Domain Name"),
    prop("description", "Description", "string/textarea"),
    prop("industry", "Industry", "enumeration/select", INDUSTRIES),
    prop("type", "Type", "enumeration/select", ["PROSPECT", "PARTNER", "RESELLER", "VENDOR", "OTHER"]),
    prop("founded_year", "Year Founded"),
    prop("is_public", "Is Public", "bool/booleancheckbox", BOOLEAN),
    ...PERSON,
  ],
  deals: [
    prop("dealname", "Deal Name"),
    prop("amount", "Amount", "number/number"),
    prop("closedate", "Close Date", "datetime/date"),
    prop("dealstage", "Deal Stage", "enumeration/radio", STAGES),
    prop("pipeline", "Pipeline", "enumeration/select", ["default=Sales Pipeline"]),
    prop("dealtype", "Deal Type", "enumeration/radio", ["newbusiness", "existingbusiness"]),
    prop("description", "Deal Description", "string/textarea"),
    prop("hs_priority", "Priority", "enumeration/select", ["low", "medium", "high"]),
  ],
  tickets: [
    prop("subject", "Ticket name"),
    prop("content", "Ticket description", "string/textarea"),
    prop("hs_pipeline", "Pipeline", "enumeration/select", ["0=Support Pipeline"]),
    prop("hs_pipeline_stage", "Ticket status", "enumeration/select", [
      "1=New",
      "2=Waiting on contact",
      "3=Waiting on us",
      "4=Closed",
    ]),
    prop("hs_ticket_category", "Category", "enumeration/select", [
      "PRODUCT_ISSUE",
      "BILLING_ISSUE",
      "GENERAL_INQUIRY",
    ]),
    prop("hs_ticket_priority", "Priority", "enumeration/select", ["LOW", "MEDIUM", "HIGH"]),
  ],
  products: [
    prop("name", "Name"),
    prop("price", "Unit price", "number/number"),
    prop("description", "Description"),
    prop("hs_sku", "SKU"),
  ],
  line_items: [
    prop("name", "Name"),
    prop("price", "Unit price", "number/number"),
    prop("quantity", "Quantity", "number/number"),
    prop("amount", "Net price", "number/number#"),
    prop("hs_product_id", "Product ID", "number/number"),
  ],
  quotes: [
    prop("hs_title", "Quote title"),
    prop("hs_expiration_date", "Expiration date", "date/date"),
    prop("hs_status", "Status", "enumeration/select", ["DRAFT", "APPROVAL_NOT_NEEDED", "APPROVED"]),
  ],
  communications: [...ENGAGEMENT, prop("hs_communication_body", "Body", "string/html")],
  tasks: [
    ...ENGAGEMENT,
    prop("hs_task_subject", "Task title"),
    prop("hs_task_body", "Task notes", "string/html"),
    prop("hs_task_status", "Status", "enumeration/select", [
      "NOT_STARTED",
      "IN_PROGRESS",
      "WAITING",
      "COMPLETED",
    ]),
    prop("hs_task_priority", "Priority", "enumeration/select", ["NONE", "LOW", "MEDIUM", "HIGH"]),
  ],
  notes: [...ENGAGEMENT, prop("hs_note_body", "Note body", "string/html")],
  meetings: [
    ...ENGAGEMENT,
    prop("hs_meeting_title", "Title"),
    prop("hs_meeting_body", "Body", "string/html"),
  ],
  calls: [
    ...ENGAGEMENT,
    prop("hs_call_title", "Title"),
    prop("hs_call_body", "Body", "string/html"),
    prop("hs_call_duration", "Duration", "number/number"),
  ],
  emails: [
    ...ENGAGEMENT,
    prop("hs_email_subject", "Subject"),
    prop("hs_email_text", "Text"),
    prop("hs_email_direction", "Direction", "enumeration/select", [
      "EMAIL",
      "INCOMING_EMAIL",
      "FORWARDED_EMAIL",
    ]),
  ],
  users: [
    prop("hs_email", "Email"),
    prop("hs_given_name", "First name"),
    prop("hs_family_name", "Last name"),
  ],
  leads: [
    prop("hs_lead_name", "Lead name"),
    prop("hs_lead_type", "Lead type", "enumeration/select", ["NEW_BUSINESS", "RE_ATTEMPTING", "UPSELL"]),
    prop("hs_lead_label", "Lead label", "enumeration/select", ["WARM", "COLD", "HOT"]),
  ],
};

/** Builds the property that a request to the API describes. */
export function customProperty(
  input: Partial<Property> & { name: string; label: string },
  now: string,
): Property {
  const base = prop(input.name, input.label, `${input.type ?? "string"}/${input.fieldType ?? "text"}`);
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
