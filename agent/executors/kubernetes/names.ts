import { invalidParams } from "../shared/failures.ts";

/** What kinds of names look like: RFC 1123 labels, and subdomains made of them (Kubernetes, "Object Names and IDs"). */
const LABEL = /^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/u;
const LABEL_MAX_CHARS = 63;
const SUBDOMAIN_MAX_CHARS = 253;

/** One object that a job is about. */
export interface Subject {
  kind: "Deployment" | "Pod";
  namespace: string;
  name: string;
}

/** A Deployment or Pod with checked names: one of them is a segment of a path, and comes from a template. */
export function subject(kind: Subject["kind"], namespace: string, name: string): Subject {
  checkLabel("namespace", namespace);
  if (name.length > SUBDOMAIN_MAX_CHARS || !name.split(".").every((label) => LABEL.test(label))) {
    throw notAName(kind.toLowerCase(), "lower-case letters, digits, - and .");
  }
  return { kind, namespace, name };
}

export function checkLabel(what: string, name: string): void {
  if (name.length > LABEL_MAX_CHARS || !LABEL.test(name)) throw notAName(what, "lower-case letters, digits and -");
}

export function pathOf({ kind, namespace, name }: Subject): string {
  const [group, plural] = kind === "Deployment" ? ["apis/apps/v1", "deployments"] : ["api/v1", "pods"];
  return `/${group}/namespaces/${namespace}/${plural}/${name}`;
}

/** "Deployment web in namespace shop" */
export function called({ kind, namespace, name }: Subject): string {
  return `${kind} ${name} in namespace ${namespace}`;
}

function notAName(what: string, allowed: string): Error {
  return invalidParams(
    `${what} is not a name that Kubernetes knows: it has ${allowed} only, and starts and ends with a letter or digit.`,
  );
}
