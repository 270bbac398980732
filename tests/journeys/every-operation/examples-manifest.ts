/** The manifest that the examples of the API deploy. */
export const MANIFEST = `specVersion: 1.0.0
integrations:
  - name: crm
    displayName: Your CRM
    provider: hubspot
    read:
      objects:
        - objectName: contacts
          destination: hook
          schedule: "*/30 * * * *"
          requiredFields:
            - fieldName: email
            - fieldName: firstname
              mapToName: givenName
          optionalFields:
            - fieldName: phone
          backfill:
            defaultPeriod:
              fullHistory: true
        - objectName: companies
          destination: hook
          schedule: "*/30 * * * *"
          requiredFields:
            - fieldName: name
          delivery:
            mode: onRequest
            pageSize: 100
    subscribe:
      objects:
        - objectName: contacts
          destination: hook
          inheritFieldsAndMapping: true
          updateEvent: { enabled: always, watchFieldsAuto: selected }
          deleteEvent: { enabled: always }
    write:
      objects:
        - objectName: contacts
          inheritMapping: true
    proxy:
      enabled: true
`;
