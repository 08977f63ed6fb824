import type { AgentView, ConnectionView, WorkflowView } from "../../../schema/contract/management.ts";
import type { Permission } from "../../../schema/contract/people.ts";
import { palette as text } from "../../strings/en/palette.ts";
import { settings } from "../../strings/en/settings.ts";
import { tabsFor } from "../../views/settings/tabs.ts";
import { NAVIGATION } from "../pages.ts";
import type { Entry } from "./match.ts";

/** The pages that a person with these permissions may open. */
export function pageEntries(permissions: readonly Permission[]): Entry[] {
  const pages = NAVIGATION.filter(({ needs }) => needs === null || permissions.includes(needs));
  return [
    ...pages.map(({ path, label }): Entry => ({ key: `page ${path}`, label, group: "page", run: { href: path } })),
    ...tabsFor(permissions).map(({ tab }): Entry => ({
      key: `page ${tab}`,
      label: text.settings(settings.tabs[tab]),
      group: "page",
      run: { href: `/settings/${tab}` },
    })),
  ];
}

const CREATING = [
  { label: text.actions.newWorkflow, href: "/workflows/new", needs: "automation:write" },
  { label: text.actions.newConnection, href: "/connections/new", needs: "connections:write" },
  { label: text.actions.createAgent, href: "/agents?open=create", needs: "agents:write" },
  { label: text.actions.createIncident, href: "/incidents?open=create", needs: "incidents:write" },
  { label: text.actions.createIntegration, href: "/integrations?open=create", needs: "admin" },
] as const satisfies readonly { label: string; href: string; needs: Permission }[];

/** The commands that create something, for a person with these permissions. */
export function creatingEntries(permissions: readonly Permission[]): Entry[] {
  return CREATING.filter(({ needs }) => permissions.includes(needs)).map(({ label, href }) => ({
    key: `action ${href}`,
    label,
    group: "action",
    run: { href },
  }));
}

/** The page of each workflow, and the command that runs it. Only a published workflow can run. */
export function workflowEntries(workflows: readonly WorkflowView[], mayRun: boolean): Entry[] {
  return workflows.flatMap(({ id, name, description, published }): Entry[] => [
    { key: id, label: name, group: "workflow", words: description ?? "", run: { href: `/workflows/${id}` } },
    ...(mayRun && published
      ? [
          {
            key: `run ${id}`,
            label: text.run(name),
            group: "action",
            run: { href: `/workflows/${id}?open=run` },
          } as const,
        ]
      : []),
  ]);
}

export function connectionEntries(connections: readonly ConnectionView[]): Entry[] {
  return connections.map(({ id, name, type }) => ({
    key: id,
    label: name,
    group: "connection",
    words: type,
    run: { href: `/connections/${id}` },
  }));
}

/** The page of each agent and of each of their pools. */
export function agentEntries(agents: readonly AgentView[]): Entry[] {
  const pools = [...new Set(agents.flatMap(({ poolId }) => poolId ?? []))];
  return [
    ...agents.map(({ id, name, poolId }): Entry => ({
      key: id,
      label: name,
      group: "agent",
      words: poolId ?? "",
      run: { href: `/agents/${id}` },
    })),
    ...pools.map((id): Entry => ({ key: `pool ${id}`, label: id, group: "pool", run: { href: `/pools/${id}` } })),
  ];
}
