/**
 * workerd alone loses a request that follows an answer at once, when workerd does not run for 6 s (or the given
 * seconds): KJ finds the request and its limit for an idle connection (5 s) at once, and closes. After 4 s it answers.
 */
import { tmpdir } from "node:os";
import { join } from "node:path";

const workerd = Bun.resolveSync(
  `@cloudflare/workerd-linux-${process.arch === "x64" ? "64" : process.arch}/bin/workerd`,
  ".",
);
const url = "http://127.0.0.1:18799/";
const file = join(tmpdir(), "bellhop-reproduce.capnp");
await Bun.write(
  file,
  `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = (compatibilityDate = "2026-01-01",
    serviceWorkerScript = "addEventListener('fetch', (e) => e.respondWith(new Response('ok')))"))],
  sockets = [(name = "http", address = "127.0.0.1:18799", http = (), service = "main")]);`,
);
const child = Bun.spawn([workerd, "serve", file], { stdout: "ignore", stderr: "inherit" });
while (!(await fetch(url).then(Boolean, () => false))) await Bun.sleep(50);
await (await fetch(url, { method: "POST" })).text();
child.kill("SIGSTOP");
const next = fetch(url, { method: "POST" }).then(({ status }) => `answered ${status}`, String);
await Bun.sleep(1_000 * Number(process.argv[2] ?? 6));
child.kill("SIGCONT");
console.log(await next);
child.kill("SIGKILL");
