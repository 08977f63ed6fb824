import { Tabs } from "@mantine/core";
import { Suspense, lazy } from "react";
import { useSearchParams } from "wouter";
import type { WorkflowView } from "../../../schema/contract/management.ts";
import { common } from "../../strings/en/common.ts";
import { workflows as text } from "../../strings/en/workflows.ts";
import { Page } from "../../ui/page.tsx";
import { LoadingState, ReadState } from "../../ui/states.tsx";
import { Banners } from "./banners.tsx";
import { DetailActions } from "./detail-actions.tsx";
import { ExecutionsTab } from "./executions-tab.tsx";
import { OverviewTab } from "./overview-tab.tsx";
import { ScheduleTab } from "./schedule-tab.tsx";
import { StateBadges } from "./state-badge.tsx";
import { liveVersion, useVersions, useWorkflow } from "./use-workflow.ts";
import { WebhookTab } from "./webhook-tab.tsx";

const VersionsTab = lazy(() => import("./versions-tab.tsx"));
const ABOVE = [{ label: common.workflows, href: "/workflows" }];

/** One workflow: its trigger, nodes, versions and executions. */
export default function WorkflowDetail({ params }: { params: Record<string, string | undefined> }) {
  const id = params["id"] ?? "";
  const read = useWorkflow(id);
  if (read.data === undefined) {
    return (
      <Page title={common.workflow} above={ABOVE}>
        <ReadState read={read} what={text.detail.what(id)}>
          {() => null}
        </ReadState>
      </Page>
    );
  }
  return <Detail workflow={read.data} read={read} />;
}

function Detail({ workflow, read }: { workflow: WorkflowView; read: ReturnType<typeof useWorkflow> }) {
  const [search, setSearch] = useSearchParams();
  const versions = useVersions(workflow);
  const live = liveVersion(workflow, versions.items);
  const triggers = new Set([workflow.trigger.type, live?.trigger.type]);
  const tabs = [
    { value: "overview", label: text.detail.tabs.overview },
    ...(triggers.has("webhook") || workflow.webhookKey !== null
      ? [{ value: "webhook", label: text.detail.tabs.webhook }]
      : []),
    ...(triggers.has("cron") ? [{ value: "schedule", label: text.detail.tabs.schedule }] : []),
    { value: "versions", label: text.detail.tabs.versions },
    { value: "executions", label: text.detail.tabs.executions },
  ];
  const asked = search.get("tab");
  const tab = tabs.find(({ value }) => value === asked)?.value ?? "overview";
  const open = (value: string | null) => setSearch(value === null || value === "overview" ? {} : { tab: value });

  return (
    <Page
      title={workflow.name}
      above={ABOVE}
      beside={<StateBadges workflow={workflow} />}
      actions={<DetailActions workflow={workflow} live={live} />}
      {...(workflow.description === null || workflow.description === "" ? {} : { description: workflow.description })}
    >
      <ReadState read={read}>
        {() => (
          <>
            <Banners workflow={workflow} live={live} hasVersions={(versions.items?.length ?? 0) > 0} />
            <Tabs value={tab} onChange={open} keepMounted={false}>
              <Tabs.List aria-label={text.detail.about}>
                {tabs.map(({ value, label }) => (
                  <Tabs.Tab key={value} value={value}>
                    {label}
                  </Tabs.Tab>
                ))}
              </Tabs.List>
              <Tabs.Panel value="overview" pt="md">
                <OverviewTab workflow={workflow} live={live} />
              </Tabs.Panel>
              <Tabs.Panel value="webhook" pt="md">
                <WebhookTab workflow={workflow} live={live} />
              </Tabs.Panel>
              <Tabs.Panel value="schedule" pt="md">
                <ScheduleTab workflow={workflow} live={live} />
              </Tabs.Panel>
              <Tabs.Panel value="versions" pt="md">
                <Suspense fallback={<LoadingState />}>
                  <VersionsTab workflow={workflow} versions={versions} />
                </Suspense>
              </Tabs.Panel>
              <Tabs.Panel value="executions" pt="md">
                <ExecutionsTab workflow={workflow} />
              </Tabs.Panel>
            </Tabs>
          </>
        )}
      </ReadState>
    </Page>
  );
}
