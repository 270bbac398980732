"use client";
export { BusbarProvider, useBusbar, type BusbarProviderProps } from "./busbar-provider.js";
export { Connect, type ConnectProps } from "./connect.js";
export { InstallationStatus, type InstallationStatusProps } from "./installation-status.js";
export { FieldMapping, type FieldMappingProps } from "./field-mapping.js";
export {
  InstallationActivity,
  useActivity,
  type ActivityState,
  type InstallationActivityProps,
} from "./activity.js";
export { Approvals, useApprovals, type ApprovalsProps, type ApprovalsState } from "./approvals.js";
export { useFieldMapping, type FieldMappingState } from "./use-field-mapping.js";
export type { MappingDraft, ReadChoice } from "./mapping-draft.js";
export { useConnection, type ConnectionState } from "./use-connection.js";
export { useInstallation, type InstallationState } from "./use-installation.js";
export { ConsentEnded } from "./consent-window.js";
export { ConsentRefused } from "./connect-account.js";
export type { ConnectWay, CredentialField } from "./credential-fields.js";
export type { Customer } from "./customer-token.js";
export { TEXTS, type Texts } from "./texts.js";
