import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A self-signed certificate for names and addresses, made with openssl. */
export async function selfSigned(subjectAltName: string): Promise<{ key: string; cert: string }> {
  const directory = await mkdtemp(join(tmpdir(), "bellhop-certificate-"));
  try {
    const [key, cert] = [join(directory, "key.pem"), join(directory, "cert.pem")];
    const files = ["-keyout", key, "-out", cert];
    const kind = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2"];
    const subject = ["-subj", "/CN=bellhop test", "-addext", `subjectAltName=${subjectAltName}`];
    const child = Bun.spawn(["openssl", "req", "-x509", ...kind, ...files, ...subject], {
      stdio: ["ignore", "ignore", "pipe"],
    });
    const errors = await new Response(child.stderr).text();
    if ((await child.exited) !== 0) throw new Error(`openssl: ${errors}`);
    return { key: await readFile(key, "utf8"), cert: await readFile(cert, "utf8") };
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}
