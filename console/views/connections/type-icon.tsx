import {
  IconApi,
  IconBell,
  IconBrandSlack,
  IconBrandTeams,
  IconBrandWindows,
  IconCode,
  IconDatabase,
  IconHexagons,
  IconMail,
  IconPuzzle,
  IconServerCog,
  IconTerminal2,
  IconTicket,
} from "@tabler/icons-react";
import type { ConnectionType } from "../../../schema/contract/connection.ts";

const ICONS = {
  ssh: IconTerminal2,
  winrm: IconBrandWindows,
  script: IconCode,
  osService: IconServerCog,
  kubernetes: IconHexagons,
  database: IconDatabase,
  http: IconApi,
  ticketing: IconTicket,
  chat: IconBrandSlack,
  teamchat: IconBrandTeams,
  email: IconMail,
  notification: IconBell,
  custom: IconPuzzle,
} as const satisfies Record<ConnectionType, typeof IconApi>;

/** A type's picture; its name always stands beside it. */
export function TypeIcon({ type, size = 20 }: { type: ConnectionType; size?: number }) {
  const Icon = ICONS[type];
  return <Icon size={size} stroke={1.6} aria-hidden style={{ flexShrink: 0 }} />;
}
