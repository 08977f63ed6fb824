import { parse } from "yaml";
import { z } from "zod";
import { ExecutorFailure } from "../shared/failures.ts";

/** A kubeconfig (Kubernetes, "kubeconfig (v1)"), as far as clients obey it. Unknown fields are ignored, as by kubectl. */
const text = z.string().nullish();
const flag = z.boolean().nullish();

const clusterSchema = z.object({
  server: z.string(),
  "certificate-authority": text,
  "certificate-authority-data": text,
  "insecure-skip-tls-verify": flag,
  "tls-server-name": text,
  "proxy-url": text,
});
const execSchema = z.object({
  apiVersion: z.string(),
  command: z.string().min(1),
  args: z.array(z.string()).nullish(),
  env: z.array(z.object({ name: z.string(), value: z.string() })).nullish(),
  installHint: text,
  provideClusterInfo: flag,
  interactiveMode: text,
});
const userSchema = z.object({
  "client-certificate": text,
  "client-certificate-data": text,
  "client-key": text,
  "client-key-data": text,
  token: text,
  tokenFile: text,
  username: text,
  password: text,
  as: text,
  "as-uid": text,
  "as-groups": z.array(z.string()).nullish(),
  "as-user-extra": z.record(z.string(), z.unknown()).nullish(),
  "auth-provider": z.unknown().optional(),
  exec: execSchema.nullish(),
});
const contextSchema = z.object({ cluster: z.string(), user: text });
/** Entries are checked when they are selected: one that is not may be for other clients. */
const kubeconfigSchema = z.object({
  "current-context": text,
  clusters: z.array(z.object({ name: z.string(), cluster: z.unknown().optional() })).nullish(),
  users: z.array(z.object({ name: z.string(), user: z.unknown().optional() })).nullish(),
  contexts: z.array(z.object({ name: z.string(), context: z.unknown().optional() })).nullish(),
});

export type KubeconfigCluster = z.infer<typeof clusterSchema>;
export type KubeconfigUser = z.infer<typeof userSchema>;
export type KubeconfigExec = z.infer<typeof execSchema>;

export interface SelectedContext {
  context: string;
  cluster: KubeconfigCluster;
  /** Null when the context names none. */
  user: KubeconfigUser | null;
}

/**
 * Reads a kubeconfig and selects the wanted context, or the current one. `source` is what messages call it. Throws
 * `invalid_credential`; its message never quotes the text, which holds secrets.
 */
export function selectContext(content: string, wanted: string | undefined, source: string): SelectedContext {
  const invalid = (problem: string): ExecutorFailure =>
    new ExecutorFailure("invalid_credential", `${source} ${problem}`);
  const { contexts, clusters, users, "current-context": current } = read(content, invalid);
  const name = wanted ?? current ?? "";
  const known = (contexts ?? []).map((context) => context.name);
  const listed = known.length === 0 ? "It has no contexts." : `It has: ${known.slice(0, 50).join(", ")}.`;
  if (name === "") throw invalid(`has no current context. Name one in the connection's context. ${listed}`);
  const checked = <T>(schema: z.ZodType<T>, value: unknown, at: string): T => checkedPart(schema, value, at, invalid);
  const entry = (contexts ?? []).find((context) => context.name === name);
  if (entry === undefined) {
    const which = wanted === undefined ? `its current context ${name}` : `a context ${name}`;
    throw invalid(`does not have ${which}. ${listed} Change the connection's context, or the kubeconfig.`);
  }
  const selected = checked(contextSchema, entry.context, `context ${name}`);
  const cluster = (clusters ?? []).find((each) => each.name === selected.cluster);
  if (cluster === undefined)
    throw invalid(`does not have the cluster ${selected.cluster} that its context ${name} names.`);
  const userName = selected.user ?? "";
  const user = (users ?? []).find((each) => each.name === userName);
  if (userName !== "" && user === undefined) {
    throw invalid(`does not have the user ${userName} that its context ${name} names.`);
  }
  return {
    context: name,
    cluster: checked(clusterSchema, cluster.cluster, `cluster ${selected.cluster}`),
    user: checked(userSchema.nullish(), user?.user, `user ${userName}`) ?? null,
  };
}

function read(content: string, invalid: (problem: string) => ExecutorFailure): z.infer<typeof kubeconfigSchema> {
  let value: unknown;
  try {
    // JSON is YAML, too. Pretty errors would quote the lines around a mistake.
    value = parse(content, { prettyErrors: false, logLevel: "silent" });
  } catch {
    throw invalid("is not YAML. Deliver what kubectl config view --raw --flatten --minify prints.");
  }
  return checkedPart(kubeconfigSchema, value, "", invalid);
}

function checkedPart<T>(
  schema: z.ZodType<T>,
  value: unknown,
  at: string,
  invalid: (problem: string) => ExecutorFailure,
): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const paths = [...new Set(result.error.issues.map(({ path }) => path.join(".") || "the whole"))];
  const where = at === "" ? "" : ` in its ${at}`;
  throw invalid(`is not a kubeconfig: ${paths.slice(0, 10).join(", ")}${where} is missing or not of the right kind.`);
}
