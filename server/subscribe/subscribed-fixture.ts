/** The manifest that tests of subscriptions share. */

/** Reads contacts of HubSpot with e-mail address and phone number, and subscribes to these events; each is a line of YAML. */
export const subscribedContacts = (...events: string[]): string => `
specVersion: 1.0.0
integrations:
  - name: crm
    provider: hubspot
    read:
      objects:
        - objectName: contacts
          destination: changes
          requiredFields: [{ fieldName: email }, { fieldName: phone }]
    subscribe:
      objects:
        - objectName: contacts
          destination: changes
          inheritFieldsAndMapping: true
${events.map((event) => `          ${event}\n`).join("")}`;
