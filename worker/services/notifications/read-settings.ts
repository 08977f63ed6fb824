import { withTimeout } from "../../actors/kit/with-timeout.ts";
import { failureMessage } from "../../store/errors.ts";
import { listNotificationChannelRows } from "../../store/notification-channels.ts";
import type { NotificationChannelRow } from "../../store/notification-channels.ts";
import { BriefMemory } from "../brief-memory.ts";
import type { Deps } from "../deps.ts";
import { logWarning } from "../log.ts";
import { secretsOf } from "../notification-settings.ts";
import type { NotificationSettings } from "../notification-settings.ts";
import { openChannels } from "./stored-channel.ts";

/** Together at most 5 s: settings that are given out were read within that time, while the database answers. */
const KEEP_MS = 2_000;
const STALE_MS = 3_000;
const READ_LIMIT_MS = 1_500;

/** It is not known by which settings to send: try again later. */
export class SettingsUnknown extends Error {}

type Reading = Pick<Deps, "settings" | "db" | "now">;

/** One isolate's memory of each deployment's stored channels. */
const memories = new WeakMap<Deps["settings"], ChannelMemory>();

/**
 * The settings by which messages are sent: stored ones come before those of the environment. While the database does
 * not answer, the last known ones count; throws `SettingsUnknown` when none are known. A caller that keeps the rows
 * passes them.
 */
export async function readNotificationSettings(
  deps: Reading,
  kept?: readonly NotificationChannelRow[],
): Promise<NotificationSettings> {
  return settingsWith(deps, kept ?? (await memoryOf(deps).rows(deps)));
}

/** The same from the database alone, with the rows. */
export async function readNotificationSettingsNow(
  deps: Reading,
): Promise<{ settings: NotificationSettings; rows: readonly NotificationChannelRow[] }> {
  const rows = await listNotificationChannelRows(deps.db);
  return { settings: await settingsWith(deps, rows), rows };
}

/** After a change: this isolate reads it at once, others within 5 s. */
export function forgetNotificationSettings({ settings }: Pick<Deps, "settings">): void {
  memories.delete(settings);
}

async function settingsWith(
  { settings: { secret, channelsOfEnvironment: environment } }: Pick<Deps, "settings">,
  rows: readonly NotificationChannelRow[],
): Promise<NotificationSettings> {
  const { email, sms, webhook, allowPrivate, secrets } = environment;
  if (rows.length === 0) return environment;
  const stored = await openChannels({ serverSecret: secret, allowPrivate }, rows);
  return { email, sms, webhook, allowPrivate, ...stored, secrets: [...secrets, ...secretsOf(stored)] };
}

class ChannelMemory {
  readonly #memory = new BriefMemory<readonly NotificationChannelRow[]>({ keepMs: KEEP_MS, staleMs: STALE_MS });
  #known: readonly NotificationChannelRow[] | null = null;

  rows({ db, now }: Reading): Promise<readonly NotificationChannelRow[]> {
    return this.#memory.get(now, async () => {
      try {
        this.#known = await withTimeout(
          READ_LIMIT_MS,
          "reading the notification channels",
          listNotificationChannelRows(db),
        );
      } catch (error) {
        if (this.#known === null) {
          throw new SettingsUnknown("The stored notification channels cannot be read.", { cause: error });
        }
        logWarning("the stored notification channels cannot be read; the last known ones count", {
          error: failureMessage(error),
        });
      }
      return this.#known;
    });
  }
}

function memoryOf({ settings }: Reading): ChannelMemory {
  const memory = memories.get(settings) ?? new ChannelMemory();
  memories.set(settings, memory);
  return memory;
}
