import { isLoopbackUrl } from "../../../schema/settings/agent-url.ts";
import { ExecutorFailure, invalidParams } from "../shared/failures.ts";

const ISSUE_KEY = /^([A-Za-z][A-Za-z0-9_]{0,63}-\d{1,18}|\d{1,18})$/u;
/** The API accepts the number of an issue; pages have only keys. */
const ISSUE_NUMBER = /^\d+$/u;
const CLOUD_SITE = /\.(atlassian\.net|jira\.com)$/u;
/** Atlassian's gateway, https://api.atlassian.com/ex/jira/<cloud id>, serves the API and no pages. */
const GATEWAY = "api.atlassian.com";

export interface JiraSite {
  /** An address below `/rest/api/3`. `segments` are encoded, so each stays one segment. */
  api(...segments: string[]): URL;
  /** The page of an issue; null when it cannot be derived from the address. */
  page(issueKey: string): string | null;
}

/**
 * The addresses of a site, from any of its addresses in a browser. A site of Jira Cloud has no path; elsewhere the path
 * is the part before `/rest/api`.
 */
export function jiraSite(serverUrl: string): JiraSite {
  const url = new URL(serverUrl);
  if (url.protocol !== "https:" && !isLoopbackUrl(serverUrl)) {
    const message =
      "serverUrl must begin with https://: over plain http others in the network could read the account's token.";
    throw new ExecutorFailure("invalid_config", message);
  }
  const path = CLOUD_SITE.test(url.hostname) ? "" : url.pathname.replace(/\/rest(\/.*)?$/u, "").replace(/\/+$/u, "");
  const base = `${url.origin}${path}`;
  return {
    api: (...segments) => new URL(`${base}/rest/api/3/${segments.map(encodeURIComponent).join("/")}`),
    page: (issueKey) =>
      url.hostname === GATEWAY || ISSUE_NUMBER.test(issueKey) ? null : `${base}/browse/${encodeURIComponent(issueKey)}`,
  };
}

/** The key or number of an issue. It becomes a part of an address, so nothing else is accepted. */
export function checkedIssueKey(issueKey: string): string {
  const key = issueKey.trim();
  if (ISSUE_KEY.test(key)) return key;
  throw invalidParams("issueKey must be the key of an issue, such as OPS-123, or its number.");
}
