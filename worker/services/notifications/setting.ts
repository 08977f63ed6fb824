import { isLoopback } from "../../../schema/contract/loopback.ts";
import type { Env } from "../../env.ts";

/** What a channel needs, or everything that is missing or wrong, in words. */
export type ChannelSettings<T> =
  | { readonly ok: true; readonly settings: T }
  | { readonly ok: false; readonly problems: readonly string[] };

export type NotifySetting = Extract<keyof Env, `NOTIFY_${string}`>;

/** Null when it is not set: an empty one is not. */
export function settingOf(env: Env, name: NotifySetting): string | null {
  const value = (env[name] ?? "").trim();
  return value === "" ? null : value;
}

export function notSet(name: NotifySetting, what: string): string {
  const how = `"wrangler secret put ${name}", or in the environment of npm start`;
  return `${name} is not set: give it ${what} with ${how}.`;
}

/** An https address; http only to this machine. What is wrong with it is added to `problems`. */
export function httpUrl(name: NotifySetting, address: string, problems: string[]): string | null {
  const url = parsedUrl(address);
  const secure = url?.protocol === "https:" || (url?.protocol === "http:" && isLoopback(url.hostname));
  if (url !== null && secure && url.username === "" && url.password === "") return url.href;
  problems.push(`${name} must be an https address without user and password in it; http is only for this machine.`);
  return null;
}

export function parsedUrl(text: string): URL | null {
  return URL.canParse(text) ? new URL(text) : null;
}
