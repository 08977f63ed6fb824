import { lazy } from "react";
import type { ComponentType, LazyExoticComponent } from "react";
import { Link, Redirect } from "wouter";
import { useMe } from "../../app/session.tsx";
import { common } from "../../strings/en/common.ts";
import { settings as text } from "../../strings/en/settings.ts";
import { Page } from "../../ui/page.tsx";
import { NoPermission, NotHere } from "../../ui/states.tsx";
import { SETTINGS_TABS, tabsFor } from "./tabs.ts";
import type { SettingsTab } from "./tabs.ts";
import classes from "./settings.module.css";

const VIEWS: Readonly<Record<SettingsTab, LazyExoticComponent<ComponentType>>> = {
  account: lazy(() => import("./account/account.tsx")),
  users: lazy(() => import("./users/users.tsx")),
  roles: lazy(() => import("./roles/roles.tsx")),
  tokens: lazy(() => import("./tokens/tokens.tsx")),
  audit: lazy(() => import("./audit/audit.tsx")),
  retention: lazy(() => import("./retention/retention.tsx")),
  limits: lazy(() => import("./limits/limits.tsx")),
  notifications: lazy(() => import("./notifications/notifications.tsx")),
};

/** The settings pages. Pages that the person may not see are not offered. */
export default function Settings({ params }: { params: Record<string, string | undefined> }) {
  const offered = tabsFor(useMe().permissions);
  if (params["tab"] === undefined) return <Redirect to="/settings/account" replace />;
  const here = SETTINGS_TABS.find(({ tab }) => tab === params["tab"]);
  if (here === undefined) return <NotHere />;
  const View = VIEWS[here.tab];
  return (
    <Page title={text.tabs[here.tab]} help={here.help} above={[{ label: common.settings, href: "/settings" }]}>
      <nav className={classes["tabs"]} aria-label={common.settings}>
        {offered.map(({ tab }) => (
          <Link
            key={tab}
            href={`/settings/${tab}`}
            className={classes["tab"] ?? ""}
            aria-current={tab === here.tab ? "page" : undefined}
          >
            {text.tabs[tab]}
          </Link>
        ))}
      </nav>
      {offered.includes(here) ? <View /> : <NoPermission />}
    </Page>
  );
}
