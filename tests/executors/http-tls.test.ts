import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:https";
import { join } from "node:path";
import { selfSigned } from "../support/certificate.ts";
import { failureOf, outputOf, temporaryState } from "../support/executor-context.ts";
import { namesOnly, requestWith } from "../support/http-executor.ts";

const lookup = namesOnly({ "secure.example": ["127.0.0.1"], "other.example": ["127.0.0.1"] });
let certificate: { key: string; cert: string };
let server: Server;
let port = 0;
beforeAll(async () => {
  certificate = await selfSigned("DNS:secure.example,IP:127.0.0.1");
  server = createServer(certificate, (request, response) => response.end(`secure ${request.headers.host}`));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  port = address !== null && typeof address === "object" ? address.port : 0;
});
afterAll(() => server.close());

describe("an HTTPS request", () => {
  test("to a server with an untrusted certificate fails, with advice", async () => {
    for (const host of ["secure.example", "127.0.0.1"]) {
      const { code, message } = failureOf(await requestWith({ lookup }, { baseUrl: `https://${host}:${port}` }, {}));
      expect(code).toBe("tls_error");
      for (const part of [host, "self signed", "verifySsl"]) expect(message).toContain(part);
    }
  });

  test("to a server with an untrusted certificate succeeds with verifySsl false", async () => {
    const outcome = await requestWith({ lookup }, { baseUrl: `https://secure.example:${port}`, verifySsl: false }, {});
    expect(outputOf(outcome)["body"]).toBe(`secure secure.example:${port}`);
  });

  test("to another origin than that of baseUrl is always verified", async () => {
    const own = `https://secure.example:${port}`;
    const other = `https://other.example:${port}`;
    const unverified = { baseUrl: own, verifySsl: false };
    const redirecting = createServer(certificate, (_request, response) =>
      response.writeHead(302, { location: `${other}/x` }).end(),
    );
    await new Promise<void>((resolve) => redirecting.listen(0, "127.0.0.1", resolve));
    const address = redirecting.address();
    const baseUrl = `https://secure.example:${address !== null && typeof address === "object" ? address.port : 0}`;
    const outcomes = [
      await requestWith({ lookup }, { baseUrl, verifySsl: false }, {}),
      await requestWith({ lookup }, unverified, { url: `${other}/x` }),
    ];
    redirecting.close();
    for (const outcome of outcomes) {
      const { code, message } = failureOf(outcome);
      expect(code).toBe("tls_error");
      for (const part of ["other.example", "the origin of baseUrl alone"]) expect(message).toContain(part);
    }
    expect((await requestWith({ lookup }, unverified, { url: `${own}/x` })).status).toBe("succeeded");
  });

  test("to a port without TLS says so", async () => {
    const plain = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response("plain") });
    const { code, message } = failureOf(
      await requestWith({ lookup }, { baseUrl: `https://secure.example:${plain.port}` }, {}),
    );
    await plain.stop(true);
    expect(code).toBe("tls_error");
    expect(message).toContain("http://");
  });

  test("to a silent port ends with the job", async () => {
    const silent = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data: () => undefined } });
    const job = { signal: AbortSignal.timeout(200) };
    const outcome = await requestWith({ lookup }, { baseUrl: `https://secure.example:${silent.port}` }, {}, job);
    silent.stop(true);
    expect(failureOf(outcome).code).toBe("job_ended");
  });

  test("succeeds with a private authority, for names in the certificate only", async () => {
    // The runtime reads NODE_EXTRA_CA_CERTS at its start, so this needs a separate process.
    const state = await temporaryState();
    const authority = join(state.path, "authority.pem");
    await writeFile(authority, certificate.cert);
    const module = join(import.meta.dir, "../support/http-executor.ts");
    const program = `
      const { namesOnly, requestWith } = await import(${JSON.stringify(module)});
      const lookup = namesOnly({ "secure.example": ["127.0.0.1"], "other.example": ["127.0.0.1"] });
      const codes = [];
      for (const host of ["secure.example", "127.0.0.1", "other.example"]) {
        const outcome = await requestWith({ lookup }, { baseUrl: "https://" + host + ":${port}" }, {});
        codes.push(outcome.error?.code ?? outcome.status);
      }
      console.log(codes.join(" "));`;
    const child = Bun.spawn([process.execPath, "-e", program], {
      env: { ...process.env, NODE_EXTRA_CA_CERTS: authority },
      stdio: ["ignore", "pipe", "inherit"],
    });
    const said = await new Response(child.stdout).text();
    await state.remove();
    expect(said.trim()).toBe("succeeded succeeded tls_error");
  });
});
