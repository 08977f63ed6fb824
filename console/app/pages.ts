import {
  IconAlertTriangle,
  IconBolt,
  IconHistory,
  IconHome,
  IconPlugConnected,
  IconRobot,
  IconSettings,
  IconSitemap,
  IconTool,
} from "@tabler/icons-react";
import { lazy } from "react";
import type { ComponentType, LazyExoticComponent } from "react";
import type { Permission } from "../../schema/contract/people.ts";
import { common } from "../strings/en/common.ts";
import { shell } from "../strings/en/shell.ts";

/**
 * Every page of the console: its path and its view, which is loaded when the page is opened. The Worker answers the
 * paths' first segments with the console's page; schema/contract/console.ts lists them.
 */
export interface PageRoute {
  /** wouter's pattern; `:id` becomes a property of the view's `params`. */
  path: string;
  /** Without this permission the page shows and requests nothing. Null: everyone may open the page. */
  needs: Permission | null;
  /** The page of docs/ and its heading that explain this page. Null: the page is one of them. */
  help: string | null;
  view: LazyExoticComponent<ComponentType<{ params: Record<string, string | undefined> }>>;
}

const READ: Permission = "automation:read";

export const PAGES: readonly PageRoute[] = [
  { path: "/", needs: READ, help: "console#overview", view: lazy(() => import("../views/overview/overview.tsx")) },
  { path: "/workflows", needs: READ, help: "workflows", view: lazy(() => import("../views/workflows/list.tsx")) },
  {
    path: "/workflows/new",
    needs: READ,
    help: "workflows#triggers",
    view: lazy(() => import("../views/designer/new.tsx")),
  },
  {
    path: "/workflows/:id",
    needs: READ,
    help: "workflows#triggers",
    view: lazy(() => import("../views/workflows/detail.tsx")),
  },
  {
    path: "/workflows/:id/edit",
    needs: READ,
    help: "console#workflows",
    view: lazy(() => import("../views/designer/edit.tsx")),
  },
  {
    path: "/executions",
    needs: READ,
    help: "console#executions",
    view: lazy(() => import("../views/executions/list.tsx")),
  },
  {
    path: "/executions/:id",
    needs: READ,
    help: "console#executions",
    view: lazy(() => import("../views/executions/detail.tsx")),
  },
  { path: "/agents", needs: READ, help: "install-agent#install", view: lazy(() => import("../views/agents/list.tsx")) },
  {
    path: "/agents/:id",
    needs: READ,
    help: "install-agent#configure-and-run",
    view: lazy(() => import("../views/agents/detail.tsx")),
  },
  {
    path: "/pools/:id",
    needs: READ,
    help: "design/dispatch#waiting-reasons",
    view: lazy(() => import("../views/pools/detail.tsx")),
  },
  { path: "/connections", needs: READ, help: "connections", view: lazy(() => import("../views/connections/list.tsx")) },
  {
    path: "/connections/new",
    needs: READ,
    help: "connections#what-all-types-have-in-common",
    view: lazy(() => import("../views/connections/new.tsx")),
  },
  {
    path: "/connections/:id",
    needs: READ,
    help: "connections#how-credentials-travel",
    view: lazy(() => import("../views/connections/detail.tsx")),
  },
  {
    path: "/connections/:id/edit",
    needs: READ,
    help: "connections#a-credential-belongs-to-its-target",
    view: lazy(() => import("../views/connections/edit.tsx")),
  },
  {
    path: "/incidents",
    needs: READ,
    help: "design/domain#incidents",
    view: lazy(() => import("../views/incidents/list.tsx")),
  },
  {
    path: "/incidents/:id",
    needs: READ,
    help: "design/domain#incidents",
    view: lazy(() => import("../views/incidents/detail.tsx")),
  },
  {
    path: "/integrations",
    needs: READ,
    help: "design/domain#integrations",
    view: lazy(() => import("../views/integrations/list.tsx")),
  },
  {
    path: "/maintenance",
    needs: READ,
    help: "operations#maintenance-windows",
    view: lazy(() => import("../views/maintenance/list.tsx")),
  },
  {
    path: "/maintenance/:id",
    needs: READ,
    help: "operations#maintenance-windows",
    view: lazy(() => import("../views/maintenance/detail.tsx")),
  },
  { path: "/settings", needs: null, help: "people", view: lazy(() => import("../views/settings/settings.tsx")) },
  { path: "/settings/:tab", needs: null, help: "people", view: lazy(() => import("../views/settings/settings.tsx")) },
  { path: "/help/*?", needs: null, help: null, view: lazy(() => import("../views/help/help.tsx")) },
];

interface NavigationItem {
  path: string;
  label: string;
  icon: ComponentType<{ size: number; stroke: number; "aria-hidden": boolean }>;
  /** Without this permission the page is not offered. Null: everyone may open the page. */
  needs: Permission | null;
}

/** The items of the navigation, in this order. */
export const NAVIGATION: readonly NavigationItem[] = [
  { path: "/", label: shell.overview, icon: IconHome, needs: READ },
  { path: "/workflows", label: common.workflows, icon: IconSitemap, needs: READ },
  { path: "/executions", label: common.executions, icon: IconHistory, needs: READ },
  { path: "/agents", label: common.agents, icon: IconRobot, needs: READ },
  { path: "/connections", label: common.connections, icon: IconPlugConnected, needs: READ },
  { path: "/incidents", label: common.incidents, icon: IconAlertTriangle, needs: READ },
  { path: "/integrations", label: common.integrations, icon: IconBolt, needs: READ },
  { path: "/maintenance", label: shell.maintenance, icon: IconTool, needs: READ },
  { path: "/settings", label: common.settings, icon: IconSettings, needs: null },
];
