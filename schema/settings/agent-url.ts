import { isLoopback } from "../contract/loopback.ts";
import type { Parse } from "./parse.ts";
import type { Parsed } from "./setting.ts";
import { anyUrl, decoded, parsedUrl } from "./url.ts";

/** Whether an address is on this machine: only there may a key be sent unencrypted, and without a proxy. */
export function isLoopbackUrl(url: string): boolean {
  return isLoopback(anyUrl(url)?.hostname ?? "");
}

/**
 * Where the service's own paths begin: a deployment's address must not include them, but may include a proxy's prefix.
 */
const SERVICE_PATH = /\/(?:api|healthz)(?:\/.*)?$/u;

const parseDeploymentUrl = parseApiUrl({
  example: "https://bellhop.example.com",
  login: "the agent authenticates with AGENT_API_KEY",
});

/** AGENT_API_URL: the deployment's address, to which the agent appends its path; plain http to loopback only (docs/design/agent-protocol.md#configuration). */
export function parseServiceUrl(text: string): Parsed<string> {
  const parsed = parseDeploymentUrl(text);
  if ("problem" in parsed) return parsed;
  const base = parsed.value.replace(SERVICE_PATH, "");
  if (base === parsed.value) return parsed;
  const path = parsed.value.slice(base.length);
  return {
    problem: `must be the deployment's address alone, without a path of its API: use ${base} (leave out ${path})`,
  };
}

/** Any API's address, without a slash at its end. `login` says where the key or token belongs. */
export function parseApiUrl({ example, login }: { example: string; login: string }): Parse<string> {
  return (text) => {
    const url = parsedUrl(text);
    if (url === null || (url.protocol !== "https:" && url.protocol !== "http:")) {
      return { problem: `must be an https:// address, such as ${example}` };
    }
    if (url.username !== "" || url.password !== "") return { problem: `must not include a user or password: ${login}` };
    if (url.search !== "" || url.hash !== "") return { problem: "must end with the host or a path, without ? and #" };
    const address = url.origin + url.pathname.replace(/\/+$/u, "");
    if (url.protocol === "http:" && !isLoopbackUrl(text)) {
      return {
        problem: "must be https: plain http, which shows the key to the network, is for this machine (127.0.0.1) only",
      };
    }
    return { value: address };
  };
}

/**
 * HTTPS_PROXY, which fetch uses automatically. Returns the password in it, so that it can be masked; empty without one.
 */
export function parseProxyUrl(text: string): Parsed<string> {
  const url = parsedUrl(text);
  if (url === null || (url.protocol !== "http:" && url.protocol !== "https:") || url.hostname === "") {
    // The text is never repeated: it may include a password.
    return { problem: "must be the proxy's http:// or https:// address, such as http://proxy.example.com:3128" };
  }
  return { value: decoded(url.password) ?? url.password };
}

/** A proxy that other programs use, too: of any scheme, or without one. Gives the password in it, as `parseProxyUrl`. */
export function parseAnyProxy(text: string): Parsed<string> {
  if (/[\s\p{Cc}]/u.test(text)) return { problem: "must be a proxy's address, such as http://proxy.example.com:3128" };
  const password = anyUrl(text.includes("://") ? text : `http://${text}`)?.password ?? "";
  return { value: decoded(password) ?? password };
}
