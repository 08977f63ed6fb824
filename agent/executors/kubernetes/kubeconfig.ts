import { dirname, resolve } from "node:path";
import { KubeConfig } from "@kubernetes/client-node";
import { parseDocument } from "yaml";
import { z } from "zod";
import { type JsonValue, jsonObjectSchema } from "../../../schema/contract/json.ts";
import { objectOf } from "../../../schema/contract/json-object.ts";
import type { Programs } from "../../programs/program.ts";
import { errorCode, errorMessage, ExecutorFailure } from "../shared/failures.ts";
import { listOf } from "../shared/json-members.ts";
import { type Cluster, clusterOf, DELIVER_AGAIN } from "./cluster.ts";
import { execSchema, runCredentialPlugin } from "./credential-plugin.ts";
import { reachesHost, refuseReach } from "./refuse-reach.ts";

const FILE_MAX_BYTES = 1_048_576;
const UNREADABLE: Readonly<Record<string, string>> = {
  ENOENT: "does not exist on the agent's host. Check the path, or put the file there.",
  EACCES: "may not be read by jobs. Give the account of jobs the right to read it.",
};

const text = z.string().nullish();
/** The library does not validate its models. */
const clusterSchema = z.object({
  server: z.string(),
  caData: text,
  caFile: text,
  skipTLSVerify: z.boolean(),
  tlsServerName: text,
  proxyUrl: text,
});
/** Includes the fields that the library does not know. */
const userSchema = z.object({
  certData: text,
  certFile: text,
  keyData: text,
  keyFile: text,
  token: text,
  tokenFile: text,
  username: text,
  password: text,
  as: text,
  "as-uid": text,
  "as-groups": z.array(z.string()).nullish(),
  exec: execSchema.nullish(),
});
/** Ignoring these would let the agent act with other rights than the kubeconfig grants. */
const UNSUPPORTED = ["auth-provider", "as-user-extra"];
const USE_WHOLE = "Use what kubectl config view --raw --flatten --minify prints.";

export interface KubeconfigSource {
  /** Its path on the agent's host; null for one from the vault. */
  file: string | null;
  context: string | undefined;
  /** Replaces the context's user. */
  token?: string | undefined;
  programs: Programs;
  signal: AbortSignal;
}

/**
 * One context of a kubeconfig. The library selects it without files and programs, because it would read and run them as
 * the agent. Files and programs of a kubeconfig on the agent's host are read and run as a job; a kubeconfig from the
 * vault that names any is refused. Throws `invalid_credential`, never with a quote of the text, which contains secrets.
 */
export async function loadKubeconfig(content: string, from: KubeconfigSource): Promise<Cluster> {
  const { file, programs, signal } = from;
  const { context, cluster, user } = select(content, from);
  const fileOf = async (field: string, path: string | null | undefined): Promise<string | null> => {
    if (!path) return null;
    if (file === null) throw reachesHost(field);
    return await readCredentialFile(resolve(dirname(file), path), `The ${field}`, programs);
  };
  const pemOf = async (field: string, data: string | null | undefined, path: string | null | undefined) =>
    data ? Buffer.from(data, "base64").toString("utf8") : await fileOf(field, path);

  const { username, password, exec } = user;
  const authorities = await pemOf("certificate-authority", cluster.caData, cluster.caFile);
  let login = {
    token: (await fileOf("tokenFile", user.tokenFile)) ?? (from.token === undefined ? user.token || null : from.token),
    cert: await pemOf("client-certificate", user.certData, user.certFile),
    key: await pemOf("client-key", user.keyData, user.keyFile),
  };
  let renewal =
    file === null || from.token !== undefined ? DELIVER_AGAIN : `Put a new one into ${file}, or a file that it names.`;
  if (exec && login.token === null && !username && !password) {
    if (file === null) throw reachesHost("exec");
    const call = { kubeconfig: file, server: cluster.server, authorities, programs, signal };
    login = { ...login, ...(await runCredentialPlugin(exec, call)) };
    renewal = `Run its credential plugin ${exec.command} by hand, under the account of jobs: it may ask for a new login.`;
  }
  const basic = Buffer.from(`${username ?? ""}:${password ?? ""}`).toString("base64");
  return clusterOf({
    origin: `context ${context} of ${file ?? "the delivered kubeconfig"}`,
    server: cluster.server,
    authorities,
    verify: !cluster.skipTLSVerify,
    serverName: cluster.tlsServerName || null,
    proxyUrl: cluster.proxyUrl || null,
    renewal,
    headers: {
      ...(username || password ? { authorization: `Basic ${basic}` } : {}),
      ...(user.as ? { "impersonate-user": user.as } : {}),
      ...(user["as-uid"] ? { "impersonate-uid": user["as-uid"] } : {}),
      ...(user["as-groups"]?.length ? { "impersonate-group": user["as-groups"] } : {}),
    },
    ...login,
  });
}

/** Reads a small file of a credential as a job. Messages never quote its content. */
export async function readCredentialFile(
  path: string,
  what: string,
  { readFile }: Pick<Programs, "readFile">,
): Promise<string> {
  try {
    return Buffer.from(await readFile(path, FILE_MAX_BYTES)).toString("utf8");
  } catch (error) {
    const problem = UNREADABLE[errorCode(error)] ?? `cannot be read: ${errorMessage(error)}. Check the path.`;
    throw new ExecutorFailure("invalid_credential", `${what} ${path} ${problem}`, null, { cause: error });
  }
}

/** The wanted context, or the current one. Other entries are not checked: they may be for other clients. */
function select(content: string, { file, context: wanted, token }: KubeconfigSource) {
  const invalid = (problem: string): ExecutorFailure =>
    new ExecutorFailure("invalid_credential", `The kubeconfig ${file ?? "in this agent's vault"} ${problem}`);
  const config = new KubeConfig();
  let users: JsonValue[];
  try {
    // The project's parser, as for masking, but strict. JSON is YAML, too; pretty errors would quote the lines around a mistake.
    const yaml = parseDocument(content, { prettyErrors: false });
    const [mistake] = yaml.errors;
    if (mistake !== undefined) {
      const line = content.slice(0, mistake.pos[0]).split("\n").length;
      throw invalid(`is not YAML: line ${line} cannot be read. It may be cut off. ${USE_WHOLE}`);
    }
    const document = jsonObjectSchema.parse(yaml.toJS());
    if (file === null) refuseReach(document, wanted ?? document["current-context"]);
    config.loadFromString(JSON.stringify(document, harmless), { onInvalidEntry: "filter" });
    users = listOf(document["users"]);
  } catch (error) {
    if (error instanceof ExecutorFailure) throw error;
    throw invalid(`is not YAML of the right kind. ${USE_WHOLE}`);
  }
  const context = wanted ?? config.getCurrentContext() ?? "";
  const known = config.getContexts().map(({ name }) => name);
  if (known.length === 0) throw invalid(`has no contexts. It may be cut off, or not be a kubeconfig. ${USE_WHOLE}`);
  const entry = config.getContextObject(context);
  if (entry === null) {
    const which = `${wanted === undefined ? "its current" : "a"} context ${context || "(it has none)"}`;
    throw invalid(
      `does not have ${which}. It has: ${known.slice(0, 50).join(", ")}. Change the connection's context, or the kubeconfig.`,
    );
  }
  const own = users.map(objectOf).find(({ name }) => name === entry.user);
  const raw = token === undefined ? objectOf(own?.["user"]) : {};
  const unsupported = UNSUPPORTED.find((field) => (raw[field] ?? null) !== null);
  if (unsupported !== undefined) {
    // A delivered kubeconfig with exec is refused.
    const logins = file === null ? "a token or a client certificate" : "a token, a client certificate or exec";
    const remedy = unsupported === "auth-provider" ? `Use ${logins}` : "Remove it";
    throw invalid(
      `has ${unsupported} in the user of context ${context}, which this agent does not support. ${remedy}.`,
    );
  }
  const lacking =
    config.getCluster(entry.cluster) === null
      ? `cluster ${entry.cluster} with its server,`
      : entry.user && own === undefined && `user ${entry.user}`;
  if (lacking) throw invalid(`lacks the ${lacking} of its context ${context}. Add it, or choose another context.`);
  const cluster = clusterSchema.safeParse(config.getCluster(entry.cluster));
  const user = userSchema.safeParse(token === undefined && entry.user ? { ...raw, ...config.getUser(entry.user) } : {});
  if (cluster.success && user.success) return { context, cluster: cluster.data, user: user.data };
  const paths = [cluster, user].flatMap(({ error }) => error?.issues.map(({ path }) => path.join(".")) ?? []);
  const fields = paths
    .filter((path) => path !== "")
    .slice(0, 10)
    .join(", ");
  throw invalid(
    `has fields of the wrong kind in the cluster or user of context ${context}: ${fields}. Put a text that YAML reads as a number, true or false into quotes.`,
  );
}

/**
 * The library would read token-file. It also removes one trailing slash of a server, to which a delivered token is
 * bound literally.
 */
function harmless(name: string, value: unknown): unknown {
  if (name === "token-file") return undefined;
  return name === "server" && typeof value === "string" ? value.replace(/\/$/u, "//") : value;
}
