import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface KeyAndCert {
  key: string;
  cert: string;
}

export interface ClusterCertificates {
  authority: string;
  server: KeyAndCert;
  client: KeyAndCert;
  /** Signed by the same authority, and expired. */
  endedClient: KeyAndCert;
  /** Signed by an authority that this cluster does not trust. */
  foreignClient: KeyAndCert;
  foreignAuthority: string;
}

/**
 * The certificates of a small cluster, made with openssl: an authority, a server and clients signed by it, and foreign
 * ones.
 */
export async function clusterCertificates(): Promise<ClusterCertificates> {
  const directory = await mkdtemp(join(tmpdir(), "bellhop-cluster-"));
  try {
    const [authority, foreign] = await Promise.all([newAuthority(directory, "ca"), newAuthority(directory, "foreign")]);
    const [server, client, endedClient, foreignClient] = await Promise.all([
      signed(directory, "server", { by: "ca", subject: "/CN=kube-apiserver", names: "IP:127.0.0.1,DNS:kubernetes" }),
      signed(directory, "client", { by: "ca", subject: "/O=ops/CN=alice" }),
      signed(directory, "ended", { by: "ca", subject: "/O=ops/CN=alice", ended: true }),
      signed(directory, "stranger", { by: "foreign", subject: "/O=system:masters/CN=mallory" }),
    ]);
    return { authority, server, client, endedClient, foreignClient, foreignAuthority: foreign };
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

const KEY = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"];

async function newAuthority(directory: string, name: string): Promise<string> {
  const files = ["-keyout", join(directory, `${name}.key`), "-out", join(directory, `${name}.crt`)];
  await openssl(["req", "-x509", ...KEY, "-days", "2", "-subj", `/CN=${name}`, ...files]);
  return await readFile(join(directory, `${name}.crt`), "utf8");
}

async function signed(
  directory: string,
  name: string,
  options: { by: string; subject: string; names?: string; ended?: boolean },
): Promise<KeyAndCert> {
  const at = (suffix: string): string => join(directory, `${name}.${suffix}`);
  await openssl(["req", ...KEY, "-subj", options.subject, "-keyout", at("key"), "-out", at("csr")]);
  await writeFile(at("ext"), options.names === undefined ? "" : `subjectAltName=${options.names}\n`);
  const by = ["-CA", join(directory, `${options.by}.crt`), "-CAkey", join(directory, `${options.by}.key`)];
  const serial = ["-set_serial", `0x${crypto.randomUUID().replaceAll("-", "").slice(0, 16)}`];
  const days = options.ended === true ? ["-days", "-1"] : ["-days", "2"];
  await openssl([
    "x509",
    "-req",
    "-in",
    at("csr"),
    ...by,
    ...serial,
    ...days,
    "-extfile",
    at("ext"),
    "-out",
    at("crt"),
  ]);
  return { key: await readFile(at("key"), "utf8"), cert: await readFile(at("crt"), "utf8") };
}

async function openssl(args: string[]): Promise<void> {
  const child = Bun.spawn(["openssl", ...args], { stdio: ["ignore", "ignore", "pipe"] });
  const errors = await new Response(child.stderr).text();
  if ((await child.exited) !== 0) throw new Error(`openssl ${args.join(" ")}: ${errors}`);
}
