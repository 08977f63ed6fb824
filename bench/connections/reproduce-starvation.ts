/** workerd alone does not read a connection while 64 others are busy for 20 s (or the given seconds); then it resets it. */
import { tmpdir } from "node:os";
const config = `using Workerd = import "/workerd/workerd.capnp"; const config :Workerd.Config = (
  services = [(name = "main", worker = (compatibilityDate = "2026-01-01", serviceWorkerScript =
    "addEventListener('fetch', (e) => { for (let i = 0; i < 2e6; i += 1); e.respondWith(new Response('ok')); })"))],
  sockets = [(name = "http", address = "127.0.0.1:18798", http = (), service = "main")]);`;
await Bun.write(`${tmpdir()}/bellhop-starvation.capnp`, config);
const binary = `@cloudflare/workerd-linux-${process.arch === "x64" ? "64" : process.arch}/bin/workerd`;
const child = Bun.spawn([Bun.resolveSync(binary, "."), "serve", `${tmpdir()}/bellhop-starvation.capnp`]);
const post = () => fetch("http://127.0.0.1:18798", { method: "POST" }).then((answer) => answer.text(), String);
while ((await post()) !== "ok") await Bun.sleep(50);
let end = (_how: string) => {};
const data = (_: unknown, bytes: Buffer) => (String(bytes).endsWith("ok") ? end("answered") : undefined);
const close = (_: unknown, error?: Error) => end(error === undefined ? "closed" : error.message);
const other = await Bun.connect({ hostname: "127.0.0.1", port: 18_798, socket: { data, close } });
const get = () => new Promise<string>((done) => ((end = done), other.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n")));
console.log(`before the others: ${await get()}`);
const [startedAt, seconds] = [performance.now(), Number(process.argv[2] ?? 20)];
const passed = () => (performance.now() - startedAt) / 1_000;
let answers = 0;
async function keepBusy(): Promise<void> {
  for (; passed() < seconds; answers += 1) await post();
}
for (let client = 0; client < 64; client += 1) void keepBusy();
await Bun.sleep(1_000).then(() => console.log(`sent after ${passed().toFixed(1)} s`));
console.log(`${await get()} after ${passed().toFixed(1)} s, and ${answers} answers on the others`);
child.kill("SIGKILL");
