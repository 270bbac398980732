/** Knows the objects of HubSpot's events by every name that they have. */

/** Has no type id; its events name it like this. */
const CONVERSATION = "conversation";

/** Type id, singular and plural. */
const OBJECTS: readonly (readonly [string, string, string])[] = [
  ["0-1", "contact", "contacts"],
  ["0-2", "company", "companies"],
  ["0-3", "deal", "deals"],
  ["0-5", "ticket", "tickets"],
  ["0-7", "product", "products"],
  ["0-8", "line_item", "line_items"],
  ["0-14", "quote", "quotes"],
  ["0-18", "communication", "communications"],
  ["0-19", "feedback_submission", "feedback_submissions"],
  ["0-27", "task", "tasks"],
  ["0-46", "note", "notes"],
  ["0-47", "meeting", "meetings"],
  ["0-48", "call", "calls"],
  ["0-49", "email", "emails"],
  ["0-53", "invoice", "invoices"],
  ["0-69", "subscription", "subscriptions"],
  ["0-74", "goal_target", "goal_targets"],
  ["0-84", "discount", "discounts"],
  ["0-85", "fee", "fees"],
  ["0-86", "tax", "taxes"],
  ["0-101", "commerce_payment", "commerce_payments"],
  ["0-115", "user", "users"],
  ["0-116", "postal_mail", "postal_mail"],
  ["0-123", "order", "orders"],
  ["0-136", "lead", "leads"],
  ["0-142", "cart", "carts"],
  ["0-162", "service", "services"],
  ["0-410", "course", "courses"],
  ["0-420", "listing", "listings"],
  ["0-421", "appointment", "appointments"],
  ["0-970", "project", "projects"],
  [CONVERSATION, CONVERSATION, "conversations"],
];

const BY_NAME = new Map(OBJECTS.flatMap((object) => object.map((name) => [name, object])));

const findEntry = (name: string): (typeof OBJECTS)[number] | undefined =>
  BY_NAME.get(name.toLowerCase().replaceAll(" ", "_"));

/** Objects of HubSpot's files whose type ids these do not name (HubSpot-public-api-spec-collection, 2026-08-21). */
const OTHERS = ["contracts", "partner_clients", "partner_services"];

/** The names of standard objects in the paths of the CRM API. */
export const STANDARD_OBJECTS = [
  ...OBJECTS.flatMap(([typeId, , plural]) => (typeId === CONVERSATION ? [] : [plural])),
  ...OTHERS,
];

/** Every name of a standard object in the API, so that none counts as misspelt. */
export const STANDARD_NAMES = [...STANDARD_OBJECTS, ...OBJECTS.map(([, singular]) => singular)];

/** Returns false for an object of another API than that of the CRM, which has no properties. */
export const hasProperties = (name: string): boolean => findEntry(name)?.[0] !== CONVERSATION;

/** Returns the type id of a standard object, and a type id unchanged; undefined for the name of a custom object. */
export const findTypeId = (name: string): string | undefined =>
  findEntry(name)?.[0] ?? (/^\d+-\d+$/.test(name) ? name : undefined);

/** Returns the name that older types of events begin with. */
export const toSingular = (name: string): string => findEntry(name)?.[1] ?? name;

/** Returns the name in the paths of the API. */
export const toPlural = (name: string): string => findEntry(name)?.[2] ?? name;
