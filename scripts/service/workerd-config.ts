import { z } from "zod";
import { SERVICE_SETTINGS } from "../../schema/settings/service.ts";

const wranglerConfigSchema = z.object({
  compatibility_date: z.string(),
  compatibility_flags: z.array(z.string()),
  durable_objects: z.object({ bindings: z.array(z.object({ name: z.string(), class_name: z.string() })) }),
});

/** Only on one machine, and not in wrangler.toml: the object that keeps time (worker/one-machine.ts). */
const TICKER = { name: "TICKER", class_name: "Ticker" };

/**
 * The configuration of `workerd serve`, as text, from wrangler.toml. It holds no address, path or secret of a machine:
 * address and directories are arguments (`-s`, `-d`), settings come from the environment, and the machine's own
 * network.capnp says what the Worker may reach (`-I`), except through `database-network`: only the client of the
 * database has it, for DATABASE_URL. The socket of the export is in the working directory; workerd opens it when it has
 * a record for it. Objects keep their files under `bellhop-<class>`: that name must
 * never change, or their files are not found again.
 */
export function workerdConfig(wranglerToml: string): string {
  const config = wranglerConfigSchema.parse(Bun.TOML.parse(wranglerToml));
  const objects = [...config.durable_objects.bindings, TICKER];
  const namespaces = objects.map(
    ({ class_name: name }) => `(className = "${name}", uniqueKey = "bellhop-${name}", enableSql = true)`,
  );
  const bindings = [
    ...objects.map(({ name, class_name }) => `(name = "${name}", durableObjectNamespace = "${class_name}")`),
    ...Object.keys(SERVICE_SETTINGS).map((name) => `(name = "${name}", fromEnvironment = "${name}")`),
    '(name = "DATABASE", service = "database-network")',
    '(name = "DOWNLOADS_DISK", service = "downloads")',
    '(name = "CONSOLE", service = "console")',
    '(name = "EXPORT_DIRECTORY", service = "exports")',
  ];
  return `# Written by "npm run build:service". Settings of this machine are in /etc/bellhop, not here.
using Workerd = import "/workerd/workerd.capnp";
using Network = import "/network.capnp";

const config :Workerd.Config = (
  services = [
    (name = "bellhop", worker = .worker),
    (name = "objects", disk = (path = "objects", writable = true)),
    (name = "downloads", disk = (path = "downloads")),
    (name = "console", disk = (path = "console")),
    (name = "exports", external = (address = "unix:exports.sock", http = ())),
    # Unused: command lines of earlier installations without systemd set its address.
    (name = "database", external = (address = "127.0.0.1:8788", http = ())),
    (name = "database-network", network = (allow = ["public", "private"], tlsOptions = (trustBrowserCas = true))),
    (name = "outgoing", network = (allow = Network.allow, deny = Network.deny, tlsOptions = (trustBrowserCas = true))),
  ],
  sockets = [(name = "http", address = "127.0.0.1:8787", http = (), service = "bellhop")],
);

const worker :Workerd.Worker = (
  modules = [(name = "worker.js", esModule = embed "worker.js")],
  compatibilityDate = "${config.compatibility_date}",
  compatibilityFlags = [${config.compatibility_flags.map((flag) => `"${flag}"`).join(", ")}],
  globalOutbound = "outgoing",
  durableObjectStorage = (localDisk = "objects"),
  durableObjectNamespaces = [
    ${namespaces.join(",\n    ")},
  ],
  bindings = [
    ${bindings.join(",\n    ")},
  ],
);
`;
}
