import {
  IconApi,
  IconBell,
  IconBrackets,
  IconBrandSlack,
  IconBrandTeams,
  IconBrandWindows,
  IconBroadcast,
  IconBucket,
  IconCalendar,
  IconCloud,
  IconCode,
  IconDatabase,
  IconFile,
  IconHexagons,
  IconKey,
  IconMail,
  IconNetwork,
  IconPuzzle,
  IconServerCog,
  IconStack2,
  IconTerminal2,
  IconTicket,
} from "@tabler/icons-react";
import type { Icon } from "@tabler/icons-react";
import { descriptorOf } from "../../schema/contract/connection.ts";
import type { ConnectionType } from "../../schema/contract/connection.ts";
import type { IconName } from "../../schema/contract/connections/icons.ts";

const ICONS = {
  api: IconApi,
  bell: IconBell,
  brackets: IconBrackets,
  broadcast: IconBroadcast,
  bucket: IconBucket,
  calendar: IconCalendar,
  chat: IconBrandSlack,
  cloud: IconCloud,
  cluster: IconHexagons,
  code: IconCode,
  database: IconDatabase,
  file: IconFile,
  key: IconKey,
  mail: IconMail,
  network: IconNetwork,
  puzzle: IconPuzzle,
  server: IconServerCog,
  stack: IconStack2,
  team: IconBrandTeams,
  terminal: IconTerminal2,
  ticket: IconTicket,
  windows: IconBrandWindows,
} as const satisfies Record<IconName, Icon>;

export function iconOfType(type: ConnectionType): Icon {
  return ICONS[descriptorOf(type).icon];
}

/** A type's icon. Its name is always next to it. */
export function TypeIcon({ type, size = 20 }: { type: ConnectionType; size?: number }) {
  const Icon = iconOfType(type);
  return <Icon size={size} stroke={1.6} aria-hidden style={{ flexShrink: 0 }} />;
}
