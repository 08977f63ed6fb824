import type { JsonObject } from "../../../schema/contract/json.ts";

/** Senders that a webhook trigger can be set up for, each with a request as it sends it. */
export const webhookPresets = {
  label: "Set up for",
  hint: "Sets the fields below, and offers the values of a sample request to templates.",
  none: "Another sender",
  names: { alertmanager: "Prometheus Alertmanager", github: "GitHub", grafana: "Grafana", pagerduty: "PagerDuty" },
  verify: {
    alertmanager: "Verify it by a bearer token: http_config, authorization, credentials.",
    github: "Verify it by the GitHub signature.",
    grafana: "Verify it by a bearer token: Authorization Header, with the scheme Bearer.",
    pagerduty: "Verify it by another HMAC-SHA256 signature: the header X-PagerDuty-Signature, hexadecimal, prefix v1=.",
  },
  /** Requests that should start nothing, in most workflows. */
  onlyNew: {
    alertmanager:
      "Resolved alerts start the workflow, too. Set send_resolved: false there, or begin with a condition: {{webhook.body.status}} equals firing.",
    github:
      "Each chosen event starts the workflow, also a successful build. Begin with a condition: {{webhook.body.workflow_run.conclusion}} equals failure.",
    grafana:
      "Resolved alerts start the workflow, too. Turn on Disable resolved message there, or begin with a condition: {{webhook.body.status}} equals firing.",
    pagerduty:
      "Resolved incidents start the workflow, too. Choose only incident.triggered there, or begin with a condition: {{webhook.body.event.event_type}} equals incident.triggered.",
  },
  samples: {
    alertmanager: {
      headers: [],
      body: {
        version: "4",
        groupKey: '{}:{alertname="DiskFull"}',
        status: "firing",
        receiver: "bellhop",
        groupLabels: { alertname: "DiskFull" },
        commonLabels: { alertname: "DiskFull", severity: "critical", service: "shop" },
        commonAnnotations: { runbook_url: "https://runbooks.example/disk" },
        externalURL: "http://alertmanager.example:9093",
        alerts: [
          {
            status: "firing",
            labels: { alertname: "DiskFull", instance: "web-1:9100", service: "shop", severity: "critical" },
            annotations: { summary: "The disk of web-1 is full", runbook_url: "https://runbooks.example/disk" },
            startsAt: "2026-11-29T03:00:00Z",
            endsAt: "0001-01-01T00:00:00Z",
            generatorURL: "http://prometheus.example:9090/graph",
            fingerprint: "7f1c2d3e4a5b6c7d",
          },
        ],
      },
    },
    github: {
      headers: ["x-github-event", "x-github-delivery"],
      body: {
        action: "completed",
        workflow_run: {
          id: 30433642,
          name: "Build",
          head_branch: "main",
          head_sha: "acb5820ced9479c074f688cc328bf03f341a511d",
          status: "completed",
          conclusion: "failure",
          html_url: "https://github.com/example/shop/actions/runs/30433642",
        },
        repository: {
          full_name: "example/shop",
          default_branch: "main",
          clone_url: "https://github.com/example/shop.git",
        },
        sender: { login: "octocat" },
      },
    },
    grafana: {
      headers: [],
      body: {
        receiver: "bellhop",
        status: "firing",
        orgId: 1,
        title: "[FIRING:1] High latency",
        state: "alerting",
        message: "The latency of checkout is above 2 s.",
        commonLabels: { alertname: "High latency", service: "checkout" },
        externalURL: "https://grafana.example/",
        alerts: [
          {
            status: "firing",
            labels: { alertname: "High latency", service: "checkout" },
            annotations: { summary: "The latency of checkout is above 2 s." },
            startsAt: "2026-11-29T03:00:00Z",
            endsAt: "0001-01-01T00:00:00Z",
            values: { B: 2.31 },
            fingerprint: "c6eadffa33fcdf37",
            dashboardURL: "https://grafana.example/d/abc",
            panelURL: "https://grafana.example/d/abc?viewPanel=1",
          },
        ],
      },
    },
    pagerduty: {
      headers: [],
      body: {
        event: {
          id: "01DEN4HPBQAAAG05V5QQYBRZMF",
          event_type: "incident.triggered",
          resource_type: "incident",
          occurred_at: "2026-11-29T03:00:00.000Z",
          data: {
            id: "PGR0VU2",
            type: "incident",
            html_url: "https://example.pagerduty.com/incidents/PGR0VU2",
            number: 2,
            status: "triggered",
            title: "A little bump in the road",
            service: { id: "PF9KMXH", summary: "Checkout" },
            urgency: "high",
            priority: { id: "PSO75BM", summary: "P1" },
          },
        },
      },
    },
  } satisfies Record<string, { headers: string[]; body: JsonObject }>,
};
