import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { connect } from "node:net";
import { FaultProxy } from "../../chaos/fault-proxy.ts";
import { seededRandom } from "../../chaos/random.ts";
import { FAIR } from "../../chaos/weather.ts";
import type { Fate, Weather } from "../../chaos/weather.ts";
import { eventually } from "../support/eventually.ts";

/** What a real client and a real server see of the proxy between them. */
let server: ReturnType<typeof serve>;
let proxy: FaultProxy;
let requests: { method: string; path: string; body: string }[];
let fates: Fate["type"][];
/** The proxy's sleep: it does not wait unless a test replaces it. */
let sleep: () => Promise<void>;

beforeEach(async () => {
  sleep = () => Promise.resolve();
  requests = [];
  fates = [];
  server = serve();
  proxy = await FaultProxy.start({
    targetPort: server.port ?? 0,
    random: seededRandom("proxy"),
    sleep: () => sleep(),
    onFate: ({ type }) => fates.push(type),
  });
});
afterEach(async () => {
  await proxy.close();
  await server.stop(true);
});

function serve() {
  return Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: async (request, self) => {
      const { pathname } = new URL(request.url);
      if (self.upgrade(request)) return undefined;
      requests.push({ method: request.method, path: pathname, body: await request.text() });
      if (pathname === "/stream") {
        // A body whose length is unknown until its end.
        return new Response(
          new ReadableStream({
            async start(controller) {
              for (const part of ["one ", "two ", "three"]) {
                controller.enqueue(new TextEncoder().encode(part));
                await Promise.resolve();
              }
              controller.close();
            },
          }),
        );
      }
      if (pathname === "/nothing") return new Response(null, { status: 204 });
      return new Response(`answer ${requests.length} to ${pathname}`);
    },
    websocket: { message: (socket, message) => void socket.send(`echo ${String(message)}`) },
  });
}

const always = (fate: keyof Weather): Weather => ({ ...FAIR, [fate]: 1 });
const ask = async (path: string, init: RequestInit = {}) => (await fetch(`${proxy.url}${path}`, init)).text();
const outcomeOf = (answer: Promise<string>) =>
  answer.then(
    (text) => text,
    () => "no answer",
  );

describe("in fair weather", () => {
  test("all requests pass: bodies, chunks, answers without a body, many on one connection", async () => {
    expect(await ask("/a", { method: "POST", body: "x".repeat(100_000) })).toBe("answer 1 to /a");
    expect(await ask("/stream")).toBe("one two three");
    expect((await fetch(`${proxy.url}/nothing`)).status).toBe(204);
    expect((await fetch(`${proxy.url}/head`, { method: "HEAD" })).status).toBe(200);
    const body = new ReadableStream({
      start(controller) {
        for (const part of ["in ", "parts"]) controller.enqueue(new TextEncoder().encode(part));
        controller.close();
      },
    });
    await ask("/chunked", { method: "POST", body });
    expect(requests.map(({ path }) => path)).toEqual(["/a", "/stream", "/nothing", "/head", "/chunked"]);
    expect(requests[0]?.body.length).toBe(100_000);
    expect(requests[4]?.body).toBe("in parts");
    expect(fates).toEqual([]);
  });

  test("a WebSocket passes, waits while the link is frozen, and breaks with it", async () => {
    const heard: string[] = [];
    const socket = new WebSocket(`ws://127.0.0.1:${proxy.port}/socket`);
    socket.addEventListener("message", ({ data }) => heard.push(String(data)));
    await new Promise((resolve) => socket.addEventListener("open", resolve, { once: true }));
    socket.send("1");
    await eventually("the first echo", () => heard.length === 1);
    proxy.freeze();
    socket.send("2");
    // A direct request is answered while the frozen message waits.
    await fetch(server.url);
    expect(heard).toEqual(["echo 1"]);
    proxy.heal();
    await eventually("the second echo", () => heard.length === 2);
    const closed = new Promise((resolve) => socket.addEventListener("close", resolve, { once: true }));
    proxy.breakOff();
    await closed;
  });
});

describe("in bad weather", () => {
  test("a dropped request is never seen by the server", async () => {
    proxy.weather = always("drop");
    expect(await outcomeOf(ask("/a", { method: "POST", body: "1" }))).toBe("no answer");
    expect(requests).toEqual([]);
  });

  test("the request of a lost answer was handled", async () => {
    proxy.weather = always("loseAnswer");
    expect(await outcomeOf(ask("/a", { method: "POST", body: "1" }))).toBe("no answer");
    expect(requests).toEqual([{ method: "POST", path: "/a", body: "1" }]);
  });

  test("an answer that breaks off fails the request", async () => {
    proxy.weather = always("truncate");
    expect(await outcomeOf(ask("/a", { method: "POST", body: "1" }))).toBe("no answer");
    expect(requests).toHaveLength(1);
  });

  test("a duplicate reaches the server twice, and is answered once", async () => {
    proxy.weather = always("duplicate");
    expect(await ask("/a", { method: "POST", body: "1" })).toMatch(/^answer [12] to \/a$/u);
    await eventually("the second request", () => requests.length === 2);
    expect(requests[1]).toEqual(requests[0]);
  });

  test("a delayed request is overtaken by a later one", async () => {
    const over = Promise.withResolvers<void>();
    sleep = () => over.promise;
    proxy.weather = always("hold");
    const held = ask("/first");
    await eventually("the first request to be held", () => fates.length === 1);
    proxy.weather = FAIR;
    await ask("/second");
    over.resolve();
    await held;
    expect(requests.map(({ path }) => path)).toEqual(["/second", "/first"]);
  });

  test("a slow answer arrives later than the server sent it", async () => {
    const over = Promise.withResolvers<void>();
    sleep = () => over.promise;
    proxy.weather = always("slow");
    const answered = ask("/a");
    await eventually("the server to have answered", () => requests.length === 1);
    over.resolve();
    expect(await answered).toBe("answer 1 to /a");
    expect(fates).toEqual(["slow"]);
  });
});

describe("a link", () => {
  test("that is frozen passes nothing until it is healed, and then everything", async () => {
    proxy.freeze();
    const waiting = ask("/a");
    await fetch(`${server.url}probe`);
    expect(requests.map(({ path }) => path)).toEqual(["/probe"]);
    proxy.heal();
    expect(await waiting).toBe("answer 2 to /a");
  });

  test("that is down refuses connections until it is healed", async () => {
    proxy.refuse();
    expect(await outcomeOf(ask("/a"))).toBe("no answer");
    proxy.heal();
    expect(await ask("/b")).toBe("answer 1 to /b");
  });

  test("that breaks ends requests under way", async () => {
    proxy.freeze();
    const waiting = outcomeOf(ask("/a", { method: "POST", body: "1" }));
    await eventually("the connection", () => proxy.connections > 0);
    proxy.breakOff();
    expect(await waiting).toBe("no answer");
  });

  test("whose server is gone gives no answer and does not hang", async () => {
    await server.stop(true);
    expect(await outcomeOf(ask("/a"))).toBe("no answer");
  });

  test("survives malformed requests", async () => {
    const socket = connect({ host: "127.0.0.1", port: proxy.port });
    socket.on("error", () => undefined);
    socket.write("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nno size\r\n");
    await new Promise((resolve) => socket.once("close", resolve));
    expect(await ask("/a")).toBe("answer 1 to /a");
  });
});
