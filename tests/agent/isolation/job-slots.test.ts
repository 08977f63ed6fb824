import { expect, test } from "bun:test";
import { JOB_SLOTS, slotChannels } from "../../../agent/isolation/job-slots.ts";
import type { JobChannel } from "../../../agent/programs/hosted.ts";

/** Sockets that record their connections; those in `down` refuse. */
function sockets(down: ReadonlySet<string> = new Set()) {
  const opened: { path: string; channel: { isOpen: boolean } }[] = [];
  const open = slotChannels("/run/jobs", async (path): Promise<JobChannel> => {
    if (down.has(path)) throw new Error(`connect ENOENT ${path}`);
    const channel = { isOpen: true, chunks: new Blob([]).stream(), send: () => undefined, close: () => undefined };
    opened.push({ path, channel });
    return channel;
  });
  return { open, opened, paths: () => opened.map(({ path }) => path) };
}

test("concurrent jobs get a socket each, even when they begin at the same moment", async () => {
  const { open, paths } = sockets();
  await Promise.all(JOB_SLOTS.map(() => open()));
  expect(new Set(paths()).size).toBe(JOB_SLOTS.length);
  expect(open()).rejects.toMatchObject({ code: "job_process", message: expect.stringContaining("are in use") });
});

test("a socket is reused after its job, once all others were used", async () => {
  const { open, opened, paths } = sockets();
  await open();
  for (const { channel } of opened) channel.isOpen = false;
  await Promise.all(JOB_SLOTS.map(() => open()));
  expect(paths().slice(0, 2)).toEqual(["/run/jobs/1.socket", "/run/jobs/2.socket"]);
  expect(paths().at(-1)).toBe("/run/jobs/1.socket");
});

test("a socket that refuses is skipped; when all refuse, the error says why", async () => {
  const one = sockets(new Set(["/run/jobs/1.socket"]));
  await one.open();
  expect(one.paths()).toEqual(["/run/jobs/2.socket"]);
  const none = sockets(new Set(JOB_SLOTS.map((slot) => `/run/jobs/${slot}.socket`)));
  expect(none.open()).rejects.toMatchObject({ code: "job_process", message: expect.stringContaining("ENOENT") });
});
