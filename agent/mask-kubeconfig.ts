import type * as Yaml from "yaml";
import { z } from "zod";

const text = z.string().catch("");
const kubeconfigSchema = z.object({
  clusters: z
    .array(z.object({ cluster: z.object({ "proxy-url": text }) }).catch({ cluster: { "proxy-url": "" } }))
    .catch([]),
  users: z.array(z.object({ user: z.record(z.string(), z.unknown()) }).catch({ user: {} })).catch([]),
});

/**
 * Every secret in the text of a kubeconfig, parsed as the executor parses it: YAML can write one value in many ways
 * (flow style, folded, escaped), and the parsed value is sent. Empty for a text that is no kubeconfig.
 */
export function secretsOfKubeconfig(content: string): string[] {
  const { clusters, users } = read(content);
  return [
    ...users.flatMap(({ user }) => secretsOfUser(user)),
    ...clusters.flatMap(({ cluster }) => secretsOfProxy(cluster["proxy-url"])),
  ];
}

function read(content: string): z.infer<typeof kubeconfigSchema> {
  // Loaded only when there is a kubeconfig, so that the agent's first poll does not wait for it.
  const { parse }: typeof Yaml = require("yaml");
  try {
    return kubeconfigSchema.parse(parse(content, { prettyErrors: false, logLevel: "silent" }));
  } catch {
    return { clusters: [], users: [] };
  }
}

function secretsOfUser(user: Record<string, unknown>): string[] {
  const [token, username, password] = [
    text.parse(user["token"]),
    text.parse(user["username"]),
    text.parse(user["password"]),
  ];
  const key = text.parse(user["client-key-data"]).replaceAll(/\s/gu, "");
  return [
    token,
    password,
    // HTTP Basic authentication encodes both together.
    ...(password === "" ? [] : [`${username}:${password}`]),
    key,
    Buffer.from(key, "base64").toString("utf8"),
  ].filter((value) => value !== "");
}

function secretsOfProxy(url: string): string[] {
  if (!URL.canParse(url)) return [];
  const { username, password } = new URL(url);
  if (password === "") return [];
  const [user, pass] = [decoded(username), decoded(password)];
  return [password, pass, `${user}:${pass}`];
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
