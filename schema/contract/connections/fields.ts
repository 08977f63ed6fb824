import { z } from "zod";
import { targetsSchema } from "../target-list.ts";
import type { FieldProblem } from "./descriptor.ts";

/** The building blocks of configurations and credentials that several types share. Lengths in characters. */
export const host = z
  .string()
  .min(1)
  .max(253)
  .regex(/^[A-Za-z0-9._:[\]-]+$/u, "must be a host name or an IP address")
  // An IPv6 address without brackets has at least two colons.
  .refine((text) => !/^(?:[^:]*|\[.*\]):\d*$/u.test(text), {
    error: "must not include a port: write the port into its own field",
  });
export const port = z.int().min(1).max(65_535);
const CARRIES_LOGIN = /^[^/?#]*:[/\\]*[^/\\?#]*@/u;
export const httpUrl = z
  .url({ protocol: /^https?$/u, error: "must be an http:// or https:// address" })
  .refine((url) => !CARRIES_LOGIN.test(url), {
    error: "must not include a user or password: deliver these as the connection's credential",
  });

export const secretText = z.string().min(1).max(65_536);
export const password = { schema: secretText, label: "Password" } as const;
export const userName = { schema: secretText, label: "User", isName: true } as const;

/** The labels of target fields when a person confirms them. */
export const HOST_TARGET = { label: "host" } as const;
export const PORT_TARGET = { label: "port" } as const;
export const AUTHENTICATION_TARGET = { label: "authentication" } as const;
export const ON_OR_OFF = { true: "on", false: "OFF" } as const;

/** Host names are case-insensitive, and brackets around an address do not change it. */
export function hostName(text: string): string {
  return text.toLowerCase().replace(/^\[(.*)\]$/u, "$1");
}

const urlSchema = z.url({ normalize: true });

/** Without differences that do not matter: slashes at the end of the path, the host's case, a default port, a fragment. */
export function address(text: string): string {
  const [path = "", ...query] = urlSchema.parse(text).replace(/#.*$/u, "").split("?");
  return [path.replace(/\/+$/u, ""), ...query].join("?");
}

/** `targets` of a type, in place of `field`, which is for one host. */
export function targetsInPlaceOf<F extends string>(field: F, { addresses }: { addresses: boolean }) {
  return {
    schema: targetsSchema({ addresses }).optional(),
    label: "Hosts",
    help: `One host on each line: names${addresses ? ", addresses" : ""} and patterns such as web-*.example.org, each with a port if needed. * matches one or more characters of one label.`,
    placeholder: "web-*.example.org",
    inPlaceOf: field,
    when: hasTargets,
    target: { label: "hosts" },
  } as const;
}

export function hasTargets({ targets }: Readonly<Record<string, unknown>>): boolean {
  return targets !== undefined && targets !== null;
}

export function hasOneHost(config: Readonly<Record<string, unknown>>): boolean {
  return !hasTargets(config);
}

/** The problem when a configuration has not exactly one of the two fields. */
export function problemWithPlaces(field: string, one: unknown, targets: unknown): FieldProblem | null {
  if (one === undefined && targets === undefined) {
    return { path: [field], message: "is required: give it, or targets for several hosts" };
  }
  if (one === undefined || targets === undefined) return null;
  return { path: ["targets"], message: `cannot be combined with ${field}: use one of the two` };
}
