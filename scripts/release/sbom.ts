import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { ROOT } from "../paths.ts";
import { agentBundle } from "./agent-bundle.ts";

const lockSchema = z.object({
  packages: z.record(
    z.string(),
    z.object({ version: z.string().optional(), license: z.string().optional(), integrity: z.string().optional() }),
  ),
});
const formerSchema = z.object({ licenses: z.array(z.object({ type: z.string() })).min(1) });
/** In every executable, in addition to the bundle. */
const RUNTIME = "node_modules/bun";
type LockedPackage = z.infer<typeof lockSchema>["packages"][string];

/**
 * The contents of the agent's executables as CycloneDX 1.6 JSON: the packages from which the bundle has at least one
 * byte, with versions, licences and checksums from package-lock.json, and Bun's runtime.
 */
export async function agentSbom({ version, createdAt }: { version: string; createdAt: Date }): Promise<string> {
  const { packages } = lockSchema.parse(JSON.parse(await readFile(join(ROOT, "package-lock.json"), "utf8")));
  const taken = [...(await bundledPackages()), RUNTIME];
  const parts = await Promise.all(taken.map((path) => component(path, packages[path] ?? missing(path))));
  // CycloneDX's type for a runtime.
  const components = parts.map((part) => (part.name === "bun" ? { ...part, type: "platform" } : part));
  const self = `pkg:generic/bellhop-agent@${version}`;
  const document = {
    $schema: "http://cyclonedx.org/schema/bom-1.6.schema.json",
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    version: 1,
    metadata: {
      timestamp: createdAt.toISOString(),
      component: {
        type: "application",
        "bom-ref": self,
        name: "bellhop-agent",
        version,
        licenses: [{ license: { id: "Apache-2.0" } }],
        purl: self,
      },
    },
    components,
    dependencies: [{ ref: self, dependsOn: components.map((part) => part["bom-ref"]) }],
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}

/** The keys in package-lock.json of the packages in the bundle, sorted. */
async function bundledPackages(): Promise<string[]> {
  const { metafile } = await Bun.build({ ...agentBundle({ version: "0.0.0", publicKey: "" }), metafile: true });
  if (metafile === undefined) throw new Error("the bundler did not list the files of the bundle");
  const paths = new Set<string>();
  for (const { inputs } of Object.values(metafile.outputs)) {
    for (const [input, { bytesInOutput }] of Object.entries(inputs)) {
      const path = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/u.exec(input)?.[0];
      if (path !== undefined && bytesInOutput > 0) paths.add(path.slice(path.indexOf("node_modules/")));
    }
  }
  return [...paths].sort();
}

/** `path` is a key of package-lock.json: `node_modules/@scope/name`, or deeper for a package's private version. */
async function component(path: string, { version, license: locked, integrity }: LockedPackage) {
  if (version === undefined) return missing(path);
  const license = locked ?? (await formerLicense(path));
  const fullName = path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length);
  const [name = fullName, group] = fullName.split("/").toReversed();
  const purl = `pkg:npm/${group === undefined ? "" : `${encodeURIComponent(group)}/`}${name}@${version}`;
  return {
    type: "library",
    // One version may be in two places.
    "bom-ref": `${purl}#${path}`,
    ...(group === undefined ? {} : { group }),
    name,
    version,
    ...(license === undefined ? {} : { licenses: [licenseOf(license)] }),
    ...(integrity?.startsWith("sha512-") === true
      ? { hashes: [{ alg: "SHA-512", content: Buffer.from(integrity.slice(7), "base64").toString("hex") }] }
      : {}),
    purl,
  };
}

/** An older form of a package's licences, which npm's lock files leave out. */
async function formerLicense(path: string): Promise<string | undefined> {
  const file = formerSchema.safeParse(JSON.parse(await readFile(join(ROOT, path, "package.json"), "utf8")));
  return file.success ? file.data.licenses.map(({ type }) => type).join(" OR ") : undefined;
}

/** `MIT`, or an expression such as `(MIT OR Apache-2.0)`. */
function licenseOf(license: string) {
  if (/\s(?:OR|AND|WITH)\s/u.test(license)) return { expression: license };
  return { license: /^[A-Za-z0-9.+-]+$/u.test(license) ? { id: license } : { name: license } };
}

function missing(path: string): never {
  throw new Error(`${path} is in the agent and not in package-lock.json: run npm install, and build again.`);
}
