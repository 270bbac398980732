/** Lists the examples that each command's `--help` prints. A test runs all of them against a real server. */
import type { Command } from "commander";

/** Examples by command. Ids are shell variables, which the test sets. */
export const EXAMPLES: Record<string, string[]> = {
  init: [
    "busbar init --provider hubspot --object contacts",
    "busbar init crm --provider salesforce --object Contact --object Account",
  ],
  validate: ["busbar validate", "busbar validate amp.yaml --online --strict"],
  deploy: ["busbar deploy .", "busbar deploy amp.yaml --destructive"],
  list: [
    "busbar list installations --integration hubspot",
    "busbar list connections --group acme --json",
    "busbar list deliveries --destination my-app --status failed",
    "busbar list subscriptions --integration hubspot --group initech",
  ],
  get: ["busbar get integration hubspot", "busbar get destination my-app --include-secrets"],
  "create destination": [
    "busbar create destination my-app --webhook https://app.example.com/webhooks",
    `busbar create destination team --type slack --metadata '{"url": "https://hooks.slack.com/services/T/B/X"}'`,
  ],
  "create topic": ["busbar create topic writes"],
  "create event-route": ["busbar create event-route write.async.done writes"],
  "create destination-route": ["busbar create destination-route writes my-app"],
  "create provider-app": [
    "busbar create provider-app hubspot --client-id my-client --client-secret @secret.txt --scope oauth --scope crm.objects.contacts.write",
    "busbar create provider-app github --client-id my-client --client-secret - --scope repo < secret.txt",
  ],
  "create provider": [
    "busbar create provider x-quill quill.yaml",
    "busbar create provider x-quill quill.yaml --dry-run",
  ],
  "create api-key": [
    "busbar create api-key ci",
    "busbar create api-key browser --scope frontend",
    "busbar create api-key office --scope read-only --allow 192.0.2.0/24 --allow 2001:db8::/32 --rate 20 --burst 100",
  ],
  "update destination": ["busbar update destination my-app --webhook https://app.example.com/events"],
  "update provider-app": [
    "busbar update provider-app hubspot --client-secret @secret.txt",
    "busbar update provider-app github --scope repo --scope read:org",
  ],
  "update api-key": [
    "busbar update api-key ci --active false",
    "busbar update api-key ci --rate 20 --allow-all",
  ],
  delete: [
    "busbar delete provider-app github",
    "busbar delete api-key ci",
    "busbar delete topic writes --yes",
    "busbar delete installation $INSTALLATION --yes",
  ],
  retention: ["busbar retention", "busbar retention operations=14 dataMessages=0.5 events=default"],
  "agents policy": [
    "busbar agents policy",
    `busbar agents policy --set '{"rules": [{"tool": "update_record", "object": "contact", "decision": "allow"}]}'`,
  ],
  "agents approvals": [
    "busbar agents approvals --status pending --group acme",
    "busbar agents approvals $APPROVAL",
  ],
  "agents approve": ["busbar agents approve $APPROVAL"],
  "agents reject": ["busbar agents reject $OTHER_APPROVAL --reason 'She has left the company'"],
  "agents tools": ["busbar agents tools", "busbar agents tools --group initech"],
  "agents call": [
    "busbar agents call list_integrations --group initech",
    `busbar agents call search_docs '{"query": "webhook signature"}'`,
  ],
  import: [
    "busbar import --from https://busbar.example.com --from-key @key.txt --from-project default --dry-run",
    "busbar import nango --from https://nango.example.com --from-key @key.txt --provider zoho-crm=zoho --dry-run",
  ],
  export: ["busbar export acme --quiet"],
  connect: [
    "busbar connect hubspot --group acme --consumer ada",
    "busbar connect stripe --group acme --credentials @key.txt",
    "busbar connect chargebee --group acme --metadata workspace=acme --credentials - < key.txt",
  ],
  install: [
    "busbar install hubspot --group acme",
    "busbar install people --group acme --map notes=jobtitle",
    `busbar install hubspot --group globex --config '{"write": {"objects": {"contacts": {}}}}'`,
  ],
  uninstall: ["busbar uninstall people --group acme --yes"],
  read: [
    "busbar read people contacts --group acme --dry-run",
    "busbar read people contacts --group acme --since 7d --wait",
  ],
  pause: [
    "busbar pause people --group acme",
    "busbar pause people --group acme --object contacts --note 'migration until Monday'",
  ],
  unpause: ["busbar unpause people --group acme"],
  search: [
    "busbar search people contacts --group acme --where email=ada@lovelace.example",
    "busbar search people contacts --group acme --where notes=Analyst --json",
  ],
  write: [
    "busbar write hubspot contacts --group acme --set email=ada@lovelace.example",
    "busbar write hubspot contacts --group acme --type update --id $RECORD --set jobtitle=Analyst",
    "busbar write hubspot contacts --group acme --data @people.json --async --wait",
    "busbar write hubspot contacts --group acme --set email=ada@lovelace.example --dry-run",
  ],
  proxy: [
    "busbar proxy GET '/crm/objects/2026-03/contacts?limit=1' --integration hubspot --group acme",
    `busbar proxy POST /crm/objects/2026-03/contacts/search --installation $INSTALLATION -d '{"limit": 1}'`,
  ],
  operations: [
    "busbar operations --integration hubspot --group acme --status failure",
    "busbar operations $OPERATION --follow",
  ],
  "cancel operation": ["busbar cancel operation $OPERATION"],
  "check connection": ["busbar check connection $CONNECTION"],
  "check provider": ["busbar check provider quill.yaml --openapi quill-openapi.json"],
  find: ["busbar find initech", "busbar find $OPERATION --json"],
  trace: [
    "busbar trace contacts $RECORD --group acme",
    "busbar trace contacts $RECORD --integration hubspot --group acme --json",
  ],
  "subscribe hubspot-config": [
    "busbar subscribe hubspot-config people",
    "busbar subscribe hubspot-config people --check webhooks-hsmeta.json",
  ],
  "events follow": [
    "busbar events follow --integration hubspot --group initech",
    "busbar events follow --installation $INSTALLATION --record 501",
  ],
  logs: ["busbar logs $OPERATION", "busbar logs $OPERATION --follow --json"],
  listen: [
    "busbar listen",
    "busbar listen --events write.async.done --forward-to http://127.0.0.1:3000/webhooks",
  ],
  "test destination": [
    "busbar test destination my-app",
    "busbar test destination my-app --event write.async.done",
  ],
  resend: [
    "busbar resend $DELIVERY",
    "busbar resend $DELIVERY --destination my-app",
    "busbar resend --destination my-app --undelivered --since 2h",
  ],
  "rotate destination": ["busbar rotate destination my-app --include-secrets"],
  login: [
    "busbar login https://busbar.example.com",
    "busbar login https://busbar.example.com --key-stdin < key.txt",
  ],
  profiles: ["busbar profiles", "busbar profiles --use https://busbar.example.com"],
  whoami: ["busbar whoami"],
  doctor: ["busbar doctor", "busbar doctor --json"],
  api: [
    "busbar api GET /v1/projects/{project}/connections -f groupRef=acme",
    "busbar api POST /v1/projects/{project}/groups -f groupRef=acme -f groupName='Acme Inc.'",
    "busbar api POST /v1/projects/{project}/connections:generate --body @connection.json",
  ],
  collection: ["busbar collection postman", "busbar collection bruno requests --force"],
  completion: [
    "source <(busbar completion bash)",
    "source <(busbar completion zsh)",
    "busbar completion fish | source",
  ],
  logout: ["busbar logout https://busbar.example.com"],
};

/** Adds the examples to each command's help, and a pointer to that help to its usage errors. */
export function addExamples(program: Command, words: string[] = []): void {
  for (const command of program.commands) {
    const path = [...words, command.name()];
    const examples = EXAMPLES[path.join(" ")] ?? [];
    if (examples.length > 0) {
      command.addHelpText("after", ["", "Examples:", ...examples.map((line) => `  ${line}`)].join("\n"));
    }
    command.showHelpAfterError(`Run \`busbar ${path.join(" ")} --help\` for usage.`);
    addExamples(command, path);
  }
}
