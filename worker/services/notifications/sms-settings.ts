import { isSmsSender } from "../../domain/notification/phone-number.ts";
import type { Env } from "../../env.ts";
import { httpUrl, notSet, settingOf } from "./setting.ts";
import type { ChannelSettings } from "./setting.ts";

const DEFAULT_API_URL = "https://api.twilio.com";

export interface SmsSettings {
  readonly apiUrl: string;
  readonly accountSid: string;
  readonly authToken: string;
  readonly from: string;
}

/** Twilio's API, or one like it. */
export function smsSettings(env: Env): ChannelSettings<SmsSettings> {
  const problems: string[] = [];
  const apiUrl = httpUrl("NOTIFY_SMS_API_URL", settingOf(env, "NOTIFY_SMS_API_URL") ?? DEFAULT_API_URL, problems);
  const accountSid = settingOf(env, "NOTIFY_SMS_ACCOUNT_SID");
  const authToken = settingOf(env, "NOTIFY_SMS_AUTH_TOKEN");
  const from = settingOf(env, "NOTIFY_SMS_FROM");
  if (accountSid === null) problems.push(notSet("NOTIFY_SMS_ACCOUNT_SID", "the provider's account SID"));
  else if (!/^[A-Za-z0-9_-]{1,64}$/u.test(accountSid)) {
    problems.push("NOTIFY_SMS_ACCOUNT_SID is no account SID: it has letters and digits only.");
  }
  if (authToken === null) problems.push(notSet("NOTIFY_SMS_AUTH_TOKEN", "the account's auth token"));
  if (from === null) problems.push(notSet("NOTIFY_SMS_FROM", "the number, like +15005550006, that messages come from"));
  else if (!isSmsSender(from)) {
    problems.push(
      "NOTIFY_SMS_FROM must be a number like +15005550006, a short code, a name of up to 11 letters, or MG….",
    );
  }
  if (apiUrl === null || accountSid === null || authToken === null || from === null || problems.length > 0) {
    return { ok: false, problems };
  }
  return { ok: true, settings: { apiUrl, accountSid, authToken, from } };
}
