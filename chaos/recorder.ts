/** A target system for the reads of `http.request` and the updates of `chat.updateMessage`. It counts the requests. */
export interface Recorder {
  url: string;
  requests: { at: number; what: "read" | "update"; key: string; node: string }[];
  /** Requests that came without the credential of their connection. */
  strangers: number;
  stop(): Promise<void>;
}

const LONGEST_ANSWER_SECONDS = 30;

export function startRecorder(tokens: { http: string; chat: string }): Recorder {
  const recorder: Omit<Recorder, "url" | "stop"> = { requests: [], strangers: 0 };
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: LONGEST_ANSWER_SECONDS,
    fetch: async (request) => {
      const url = new URL(request.url);
      const isChat = url.pathname === "/slack/chat.update";
      // A connection test also asks without a credential, to distinguish a wrong credential from an absent target.
      if (!isChat && url.pathname !== "/read") return Response.json({ ok: true });
      if (request.headers.get("Authorization") !== `Bearer ${isChat ? tokens.chat : tokens.http}`) {
        recorder.strangers++;
        return Response.json({ ok: false, error: "invalid_auth" }, { status: isChat ? 200 : 401 });
      }
      if (isChat) {
        const message = await messageIn(request);
        recorder.requests.push({ at: Date.now(), what: "update", key: message.text, node: "say" });
        return Response.json({ ok: true, ...message });
      }
      const { key, node, seconds } = { key: "", node: "", seconds: "0", ...Object.fromEntries(url.searchParams) };
      recorder.requests.push({ at: Date.now(), what: "read", key, node });
      await Bun.sleep(Number(seconds) * 1_000);
      return Response.json({ read: key });
    },
  });
  return Object.assign(recorder, { url: server.url.origin, stop: () => server.stop(true) });
}

async function messageIn(request: Request): Promise<{ channel: string; ts: string; text: string }> {
  const text = await request.text();
  const said: unknown = text === "" ? {} : JSON.parse(text);
  return { channel: "C024BE91L", ts: "1712345678.123456", text: "", ...(typeof said === "object" ? said : {}) };
}
