"use client";
import { BusbarProvider, Connect, FieldMapping, InstallationStatus } from "@busbar/react";

/** The customer connects HubSpot, chooses which field is the title, and sees whether it works. */
export function Integrations({ url, customer }) {
  const token = async () => (await fetch(`/${encodeURIComponent(customer)}/token`)).text();
  return (
    <BusbarProvider url={url} project="default" token={token}>
      <Connect provider="hubspot" />
      <FieldMapping integration="people-nextjs" />
      <InstallationStatus integration="people-nextjs" />
    </BusbarProvider>
  );
}
