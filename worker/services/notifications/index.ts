/** What other folders may import of notifications. */
export { prepareDelivery } from "./delivery.ts";
export { exchange, jsonOf, neverArrived, reasonOf } from "./http-exchange.ts";
export { listNotificationChannels } from "./list-channels.ts";
export { prepareReceiverDelivery } from "./receiver-delivery.ts";
export { sendOnce } from "./send-once.ts";
export type { AttemptLimits } from "./send-once.ts";
export type { NoticeMessage, Receiver } from "./receiver-delivery.ts";
export { checkWebhookTarget, isPrivateHost } from "./webhook-target.ts";
export {
  forgetNotificationSettings,
  readNotificationSettings,
  readNotificationSettingsNow,
  SettingsUnknown,
} from "./read-settings.ts";
export { destinationOf, openSecrets, refusedServer, sealSecrets } from "./stored-channel.ts";
export type { ChannelSecrets } from "./stored-channel.ts";
export type { NotificationSettings } from "../notification-settings.ts";
export type { Delivery, Prepared } from "./prepared.ts";
