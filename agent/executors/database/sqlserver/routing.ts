import { ExecutorFailure } from "../../shared/failures.ts";
import type { Endpoint } from "../../shared/tcp-session.ts";

/** In these domains a gateway redirects clients to the node with the database (Azure, connection policy "redirect"). */
const AZURE_DOMAINS = [
  "database.windows.net",
  "database.usgovcloudapi.net",
  "database.chinacloudapi.cn",
  "sql.azuresynapse.net",
  "fabric.microsoft.com",
  "pbidedicated.windows.net",
];

/**
 * The address of the login after the server has routed the client (MS-TDS 2.2.7.9, Routing). Within Azure SQL routing
 * is part of connecting. From another server, routing could divert the credential: throws
 * `redirect_not_followed`.
 */
export function routedEndpoint(bound: Endpoint, to: { host: string; port: number }): Endpoint {
  const where = `${to.host}:${to.port}`;
  if (isAzure(bound.host) && isAzure(to.host)) return { ...to, where };
  const message =
    `${bound.where} redirected the login to ${where}, but the connection's credential is not for that address. If it is ` +
    "the right server, write its address into the connection, and deliver the credential again.";
  throw new ExecutorFailure("redirect_not_followed", message);
}

function isAzure(host: string): boolean {
  return AZURE_DOMAINS.some((domain) => host.toLowerCase().endsWith(`.${domain}`));
}
