import type { settings } from "../../strings/en/settings.ts";
import type { Permission } from "../../../schema/contract/people.ts";

/** The settings pages in display order. `needs`: the permission for the page. `help`: its page of docs/. */
export const SETTINGS_TABS = [
  { tab: "account", needs: null, help: "people" },
  { tab: "users", needs: "admin", help: "people" },
  { tab: "roles", needs: null, help: "security#roles-and-permissions" },
  { tab: "tokens", needs: null, help: "design/people#api-tokens" },
  { tab: "audit", needs: "admin", help: "design/people#audit-log" },
  { tab: "retention", needs: "automation:read", help: "retention" },
  { tab: "limits", needs: "automation:read", help: "workflows#at-most-so-often" },
  { tab: "notifications", needs: "automation:read", help: "notifications" },
] as const satisfies readonly { tab: keyof typeof settings.tabs; needs: Permission | null; help: string }[];
export type SettingsTab = (typeof SETTINGS_TABS)[number]["tab"];

/** The pages for a person with these permissions. */
export function tabsFor(permissions: readonly Permission[]): (typeof SETTINGS_TABS)[number][] {
  return SETTINGS_TABS.filter(({ needs }) => needs === null || permissions.includes(needs));
}
