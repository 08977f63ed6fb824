import { invalidParams } from "../shared/failures.ts";

/** RFC 1123 labels, and subdomains made of them (Kubernetes, "Object Names and IDs"). */
const LABEL = /^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/u;
const LABEL_MAX_CHARS = 63;
const SUBDOMAIN_MAX_CHARS = 253;

/** One object that a job is about; its name and namespace are what the library's calls take. */
export interface Subject {
  namespace: string;
  name: string;
  /** "Deployment web in namespace shop" */
  called: string;
}

/** A Deployment or Pod with checked names: they come from a template. */
export function subject(kind: "Deployment" | "Pod", namespace: string, name: string): Subject {
  checkLabel("namespace", namespace);
  if (name.length > SUBDOMAIN_MAX_CHARS || !name.split(".").every((label) => LABEL.test(label))) {
    throw notAName(kind.toLowerCase(), "lower-case letters, digits, - and .");
  }
  return { namespace, name, called: `${kind} ${name} in namespace ${namespace}` };
}

export function checkLabel(what: string, name: string): void {
  if (name.length > LABEL_MAX_CHARS || !LABEL.test(name)) throw notAName(what, "lower-case letters, digits and -");
}

function notAName(what: string, allowed: string): Error {
  return invalidParams(
    `${what} is not a name that Kubernetes knows: it has ${allowed} only, and starts and ends with a letter or digit.`,
  );
}
