import type { NotificationChannel } from "../../../schema/contract/notification.ts";
import type { NotificationChannelView } from "../../../schema/contract/notification-channel.ts";
import { retryOnConflict } from "../../actors/kit/retry-on-conflict.ts";
import { writeBatch } from "../../store/database.ts";
import { saveNotificationChannel } from "../../store/notification-channels.ts";
import type { NotificationChannelRow } from "../../store/notification-channels.ts";
import { recordIfChanged } from "../audit-record.ts";
import type { Deps } from "../deps.ts";
import {
  destinationOf,
  forgetNotificationSettings,
  openSecrets,
  readNotificationSettingsNow,
  refusedServer,
  sealSecrets,
} from "../notifications/index.ts";
import type { ChannelSecrets, NotificationSettings } from "../notifications/index.ts";
import { invalidInput } from "../parse.ts";
import { requireChannel, viewOf } from "./channel.ts";
import { readInput } from "./input.ts";
import type { ChannelInput } from "./input.ts";

/** Stores a channel's settings, which then come before those of the environment. */
export async function setChannel(
  deps: Deps,
  actor: string,
  name: string,
  input: unknown,
): Promise<NotificationChannelView> {
  const channel = requireChannel(name);
  const wanted = readInput(channel, input);
  const { settings } = wanted;
  const refused = refusedServer(settings, deps.settings.channelsOfEnvironment.allowPrivate);
  if (refused !== null) throw wrong(wanted.serverPath, refused);
  await retryOnConflict("This channel", async () => {
    const now = await readNotificationSettingsNow(deps);
    const before = now.rows.find((row) => row.channel === channel);
    const secrets = await secretsFor(deps, wanted, before, now.settings);
    const stored = { ...settings, ...(secrets.keys === undefined ? {} : { secrets: secrets.keys.length }) };
    const place = { channel, settings: stored };
    const row = {
      ...place,
      sealedSecrets: Object.keys(secrets).length === 0 ? null : await sealSecrets(deps.settings.secret, place, secrets),
      revision: (before?.revision ?? 0) + 1,
      updatedAt: deps.now(),
    };
    const detail = { ...stored, secretEntered: Object.keys(wanted.secrets).length > 0 };
    await writeBatch(deps.db, [
      saveNotificationChannel(deps.db, row),
      recordIfChanged(deps, audit(actor, channel, detail)),
    ]);
  });
  forgetNotificationSettings(deps);
  return viewOf(deps, channel);
}

function audit(actor: string, channel: NotificationChannel, detail: object) {
  const plain = JSON.parse(JSON.stringify(detail));
  return { actor, verb: "update", subjectType: "notification-channel", subjectId: channel, detail: plain } as const;
}

/** The given secrets, or the stored ones when they are for the same server. */
async function secretsFor(
  deps: Deps,
  { secrets, settings, needed, keepsFormer }: ChannelInput,
  before: NotificationChannelRow | undefined,
  { webhook }: NotificationSettings,
): Promise<ChannelSecrets> {
  if (keepsFormer) {
    const present = webhook.ok ? webhook.settings.keys : [];
    const [former] = present;
    if (former === undefined) throw wrong("keepFormer", "must be false: there is no present secret that can be read");
    // A repeated request keeps the secret that the first one kept.
    if (secrets.keys?.[0] === former) return { keys: [...present] };
    return { keys: [...(secrets.keys ?? []), former] };
  }
  if (needed === null || secrets[needed.name] !== undefined) return secrets;
  if (before === undefined || before.sealedSecrets === null) throw wrong(needed.path, "is required");
  if (destinationOf(before.settings) !== destinationOf(settings)) throw wrong(needed.path, ANOTHER_SERVER);
  const kept = (await openSecrets(deps.settings.secret, before))?.[needed.name];
  if (kept === undefined) throw wrong(needed.path, UNREADABLE);
  return { [needed.name]: kept };
}

const ANOTHER_SERVER = "is required with another server: the stored one is kept for its server alone";
const UNREADABLE = "is required: the stored one was encrypted under another BELLHOP_SECRET";

function wrong(path: string, message: string) {
  return invalidInput([{ path, message }]);
}
