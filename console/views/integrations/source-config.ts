import type { IntegrationKind } from "../../../schema/contract/integration.ts";
import { integrations } from "../../strings/en/integrations.ts";

const titles = integrations.configuration;

/** A text to paste at the source. */
export interface ConfigPart {
  title: string;
  text: string;
}

/** The configuration with which a tool delivers to a URL. The URL contains the key. */
export function sourceConfig(kind: IntegrationKind, url: string): readonly ConfigPart[] {
  switch (kind) {
    case "alertmanager":
      return [
        {
          title: titles.alertmanager,
          text: `route:
  receiver: bellhop        # or under routes:, for some alerts only
receivers:
  - name: bellhop
    webhook_configs:
      - url: "${url}"
        send_resolved: true
`,
        },
      ];
    case "pagerduty":
      return [
        { title: titles.pagerduty, text: `${url}/v2/enqueue` },
        {
          title: titles.pagerdutyConfigs,
          text: `receivers:
  - name: bellhop
    pagerduty_configs:
      - url: "${url}/v2/enqueue"
        routing_key: any          # not checked: the URL contains the key
`,
        },
        {
          title: titles.shell,
          text: curl(
            '{"routing_key":"any","event_action":"trigger","dedup_key":"web-1/disk","payload":{"summary":"The disk of web-1 is full","source":"web-1","severity":"critical"}}',
            "application/json",
          ),
        },
      ];
    case "cloudevents":
      return [
        { title: titles.cloudevents, text: url },
        {
          title: titles.knative,
          text: `apiVersion: eventing.knative.dev/v1
kind: Trigger
metadata: { name: bellhop }
spec:
  broker: default
  subscriber: { uri: "${url}" }
`,
        },
        {
          title: titles.shell,
          text: curl(
            '{"specversion":"1.0","id":"e-1","source":"https://monitoring.example.com","subject":"web-1/disk","type":"com.example.disk.full","data":{"title":"The disk of web-1 is full","severity":"critical"}}',
            "application/cloudevents+json",
          ),
        },
      ];
  }
}

/** The command asks for the URL, which keeps it out of shell histories and process lists. */
function curl(body: string, contentType: string): string {
  const send = String.raw`printf 'url = "%s"\n' "$URL" | curl -sS -K - -H 'Content-Type: ${contentType}'`;
  return `read -rsp 'URL: ' URL && echo && ${send} \\\n  -d '${body}'; unset URL`;
}
