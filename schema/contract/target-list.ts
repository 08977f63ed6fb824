import { z } from "zod";
import { CONNECTION_TARGETS_MAX } from "../limits.ts";
import type { JsonObject } from "./json.ts";

/**
 * The targets of a connection to many hosts: names, addresses and patterns such as `web-*.example.org`, each with an
 * optional port. One spelling per host, so that service and agent can compare texts
 * (docs/design/connections.md#targets).
 */
export interface TargetList {
  readonly targets: readonly string[];
  /** The port of entries and targets that name none. */
  readonly port: number;
}

/** Where one job of such a connection goes. IPv6 addresses have no brackets here. */
export interface Place {
  readonly host: string;
  readonly port: number;
}

/** A written host; the port is null without one. */
export interface Written {
  readonly host: string;
  readonly port: number | null;
}

const NAME_MAX_CHARS = 253;
const HTTPS_PORT = 443;
/** Labels without `*` that a pattern must end with: fewer would match a whole top-level domain. */
const FIXED_LABELS_MIN = 2;
const urlSchema = z.url({ normalize: true });
const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/u;
/** Resolvers read a name whose last label is a number as an address (WHATWG URL, "ends in a number"). */
const NUMBER = /^(?:[0-9]+|0x[0-9a-f]*)$/u;
/** `10.0.0.*`, with a port or without. */
const NUMBERS_WITH_STAR = /^(?=.*\*)[0-9.*]*[0-9][0-9.*]*(?::[0-9]+)?$/u;
const WITH_PORT = /^(.*?)(?::([1-9][0-9]{0,4}))?$/su;

/** A list in the form for comparisons: each costs little, also with many entries. */
interface ReadList {
  readonly places: ReadonlySet<string>;
  readonly patterns: readonly ReadPattern[];
}

interface ReadPattern {
  readonly port: number;
  /** What is before the first `*` and after the last one. */
  readonly head: string;
  readonly tail: string;
  /** Of each label what is before and after its `*`; null after a label without one. */
  readonly labels: readonly (readonly [before: string, after: string | null])[];
}

/** Each list is read once: a run compares a thousand items with it, and a configuration a thousand keys. */
const readLists = new WeakMap<TargetList, ReadList>();

/** The place of a job that names this target; null when the list does not allow it. */
export function placeIn(list: TargetList, target: string): Place | null {
  const wanted = hostIn(target);
  if (wanted === null) return null;
  const place = { host: wanted.host, port: wanted.port ?? list.port };
  const { places, patterns } = readOnce(list);
  if (places.has(placeText(place))) return place;
  if (patterns.length === 0 || isAddress(place.host)) return null;
  const labels = place.host.split(".");
  return patterns.some((pattern) => pattern.port === place.port && covers(pattern, place.host, labels)) ? place : null;
}

function readOnce(list: TargetList): ReadList {
  const known = readLists.get(list);
  if (known !== undefined) return known;
  const { targets, port } = list;
  const hosts = targets.flatMap((entry) => hostIn(entry) ?? []);
  const read = {
    places: new Set(hosts.map((one) => placeText({ host: one.host, port: one.port ?? port }))),
    patterns: targets.flatMap((entry) => readPattern(patternIn(entry), port)),
  };
  readLists.set(list, read);
  return read;
}

function readPattern(written: Written | null, port: number): ReadPattern[] {
  if (written === null) return [];
  const { host } = written;
  const labels = host.split(".").map((label) => {
    const [before = "", after = null] = label.split("*");
    return [before, after] as const;
  });
  const [head, tail] = [host.slice(0, host.indexOf("*")), host.slice(host.lastIndexOf("*") + 1)];
  return [{ port: written.port ?? port, head, tail, labels }];
}

/**
 * The list in a configuration, or in an entry of a credential's target, which has the same fields; null for a connection
 * to one host.
 */
export function targetListOf({ targets, port }: JsonObject): TargetList | null {
  if (!Array.isArray(targets)) return null;
  const entries = targets.filter((entry) => typeof entry === "string");
  return { targets: entries, port: typeof port === "number" ? port : HTTPS_PORT };
}

/** The first target that is no pattern; null without one. */
export function firstHostIn({ targets }: TargetList): string | null {
  return targets.find((entry) => hostIn(entry) !== null) ?? null;
}

/** `web-1.example.org:2222`, with brackets around an IPv6 address. */
export function placeText({ host, port }: Place): string {
  return writtenText({ host, port });
}

export function writtenText({ host, port }: Written): string {
  return `${host.includes(":") ? `[${host}]` : host}${port === null ? "" : `:${port}`}`;
}

/** The schema of `targets`. `addresses`: also IP addresses, but never in a pattern. */
export function targetsSchema({ addresses }: { addresses: boolean }) {
  const entry = z.string().superRefine((text, context) => {
    const message = problemWith(text, addresses);
    if (message !== null) context.addIssue({ code: "custom", message });
  });
  return z.array(entry).min(1).max(CONNECTION_TARGETS_MAX).superRefine(refuseRepeated);
}

function problemWith(text: string, addresses: boolean): string | null {
  const host = hostIn(text);
  if (host !== null) {
    return addresses || !isAddress(host.host)
      ? null
      : "must be a name: the certificate of a server is compared with its name";
  }
  if (patternIn(text) !== null) return null;
  if (text !== text.toLowerCase()) return "must be in lower case";
  if (/[\s,;]/u.test(text)) return "must be one host: each host is an entry, on its own line in the console";
  if (NUMBERS_WITH_STAR.test(text)) return "must be an address without *: only names can be patterns";
  if (text.includes("*")) {
    return "must be a pattern with one * in a label and at least two labels after it, such as web-*.example.org: a wider one would match hosts of others";
  }
  return "must be a host name, an IP address or a pattern such as web-*.example.org, with a port after a colon if needed";
}

export function refuseRepeated(texts: readonly string[], context: z.RefinementCtx): void {
  const seen = new Set<string>();
  for (const [index, text] of texts.entries()) {
    if (seen.has(text)) context.addIssue({ code: "custom", path: [index], message: "is given twice: leave one out" });
    seen.add(text);
  }
}

/** A single host: a name or an address. */
export function hostIn(text: string): Written | null {
  const bracketed = /^\[([^\]]*)\](.*)$/su.exec(text);
  if (bracketed !== null) {
    const [, address = "", rest = ""] = bracketed;
    const port = portIn(rest);
    return port !== undefined && isIpv6(address) ? { host: address, port } : null;
  }
  const { host, port } = split(text);
  return port !== undefined && (isName(host) || isIpv4(host)) ? { host, port } : null;
}

/** A name with `*` in some of its labels. */
function patternIn(text: string): Written | null {
  const { host, port } = split(text);
  const labels = host.split(".");
  const last = labels.findLastIndex((label) => label.includes("*"));
  if (port === undefined || last === -1 || labels.length - 1 - last < FIXED_LABELS_MIN) return null;
  const isPattern = labels.every(
    (label) => !label.includes("*") || (label.split("*").length === 2 && !label.startsWith("xn--")),
  );
  return isPattern && isName(host.replaceAll("*", "x")) ? { host, port } : null;
}

/** Both are names of one spelling. `*` matches one or more characters of its label. */
function covers({ head, tail, labels }: ReadPattern, host: string, hostLabels: readonly string[]): boolean {
  // Most patterns of a long list end here.
  if (!host.startsWith(head) || !host.endsWith(tail) || labels.length !== hostLabels.length) return false;
  return labels.every(([before, after], index) => {
    const label = hostLabels[index] ?? "";
    if (after === null) return before === label;
    return label.length > before.length + after.length && label.startsWith(before) && label.endsWith(after);
  });
}

function split(text: string): { host: string; port: number | null | undefined } {
  const [, host = "", port] = WITH_PORT.exec(text) ?? [];
  return { host, port: port === undefined ? null : validPort(port) };
}

/** `:22`, or nothing; undefined for anything else. */
function portIn(rest: string): number | null | undefined {
  if (rest === "") return null;
  const port = /^:([1-9][0-9]{0,4})$/u.exec(rest)?.[1];
  return port === undefined ? undefined : validPort(port);
}

function validPort(text: string): number | undefined {
  const port = Number(text);
  return port <= 65_535 ? port : undefined;
}

function isName(text: string): boolean {
  const labels = text.split(".");
  if (text.length > NAME_MAX_CHARS || !labels.every((label) => LABEL.test(label))) return false;
  return !NUMBER.test(labels.at(-1) ?? "") && (!text.includes("xn--") || isHostOfUrl(text));
}

function isAddress(host: string): boolean {
  return host.includes(":") || isIpv4(host);
}

function isIpv4(text: string): boolean {
  return z.regexes.ipv4.test(text);
}

/** Only the shortest spelling (RFC 5952), so that an address has one. It has no zone. */
function isIpv6(text: string): boolean {
  return isHostOfUrl(`[${text}]`);
}

/** Whether it is the normal form of a URL's host. */
function isHostOfUrl(host: string): boolean {
  return urlSchema.safeParse(`http://${host}/`).data === `http://${host}/`;
}
