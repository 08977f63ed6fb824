import { z } from "zod";
import { GROWING, SCRIPTS, SMALL } from "./attacks.ts";
import type { Attack } from "./attacks.ts";
import { openHealthzProbe } from "./healthz-probe.ts";
import type { HealthzProbe } from "./healthz-probe.ts";

/**
 * How much a viewer's workflow checks slow down all other requests, compared with a quiet /healthz and with the check
 * of a small workflow. A check takes far less than half a second, and no other request waits longer.
 */
export interface ChecksBench {
  quietHealthz: Figures & { p99Ms: number };
  small: Figures;
  attacks: (Figures & {
    name: string;
    bytes: number;
    answered: "checked" | "too_complex";
    /** How long requests to /healthz waited at most during the checks. */
    healthz: Figures;
    /** The median answer as a multiple of the small workflow's, and the longest wait as a multiple of the quiet p99. */
    toSmall: number;
    toQuiet: number;
  })[];
}
interface Figures {
  medianMs: number;
  worstMs: number;
}

const ROUNDS = 7;
const QUIET_MS = 500;
/** How close to the budget the search for the longest body comes. */
const SEARCH_CHARS = 1_000;
const LARGEST_CHARS = 4_000_000;

export async function benchChecks(url: string, token: string): Promise<ChecksBench> {
  const check = (attack: Attack) => sendToCheck(url, token, attack.body);
  const attacks = [...SCRIPTS];
  for (const { name, of } of GROWING) {
    const chars = await largestAccepted(async (one) => (await check(of(one))) === "checked");
    attacks.push({ ...of(chars), name: `as many ${name} as are accepted` });
    attacks.push({ ...of(chars + SEARCH_CHARS), name: `and ${SEARCH_CHARS} characters more` });
  }
  const probe = await openHealthzProbe(url);
  try {
    const quiet: number[] = [];
    const small: number[] = [];
    const found = attacks.map((attack) => ({ attack, answers: new Array<Answer>() }));
    // All take turns, so that the machine's other work affects each alike.
    for (let round = 0; round < ROUNDS; round += 1) {
      quiet.push(...(await probe.during(() => Bun.sleep(QUIET_MS))).waitedMs);
      small.push((await timed(probe, () => check(SMALL))).answerMs);
      for (const { attack, answers } of found) answers.push(await timed(probe, () => check(attack)));
    }
    const p99Ms = quiet.toSorted((a, b) => a - b)[Math.floor(quiet.length * 0.99)] ?? Number.NaN;
    const smallAnswers = figuresOf(small);
    return {
      quietHealthz: { ...figuresOf(quiet), p99Ms },
      small: smallAnswers,
      attacks: found.map(({ attack, answers }) => {
        const own = figuresOf(answers.map(({ answerMs }) => answerMs));
        const healthz = figuresOf(answers.map(({ longestWaitMs }) => longestWaitMs));
        return {
          name: attack.name,
          bytes: Buffer.byteLength(attack.body),
          answered: answers[0]?.answered ?? "checked",
          ...own,
          healthz,
          toSmall: own.medianMs / smallAnswers.medianMs,
          toQuiet: healthz.worstMs / p99Ms,
        };
      }),
    };
  } finally {
    probe.close();
  }
}

export function describeChecks({ quietHealthz, small, attacks }: ChecksBench): string {
  return [
    `a viewer has workflows checked: a small one ${milliseconds(small)}; /healthz when it is quiet ${milliseconds(quietHealthz)}, p99 ${quietHealthz.p99Ms.toFixed(2)} ms`,
    ...attacks.map(({ name, bytes, answered, healthz, toSmall, toQuiet, ...own }) => {
      const size = `${(bytes / 1_000).toFixed(0)} kB`.padStart(7);
      const answer = `${answered.padEnd(11)} ${milliseconds(own)}, ${toSmall.toFixed(0)} of the small one`;
      return `  ${name.padEnd(44)} ${size}  ${answer.padEnd(62)} /healthz waited ${milliseconds(healthz)}, ${toQuiet.toFixed(0)} of the quiet p99`;
    }),
  ].join("\n");
}

type Answer = Awaited<ReturnType<typeof timed>>;

async function timed(probe: HealthzProbe, check: () => Promise<"checked" | "too_complex">) {
  const { result, waitedMs } = await probe.during(async () => {
    const sentAt = performance.now();
    const answered = await check();
    return { answered, answerMs: performance.now() - sentAt };
  });
  return { ...result, longestWaitMs: Math.max(...waitedMs) };
}

async function sendToCheck(url: string, token: string, body: string): Promise<"checked" | "too_complex"> {
  const response = await fetch(`${url}/api/v1/automation/workflows/validate`, {
    method: "POST",
    headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
    body,
  });
  const answer: unknown = await response.json();
  if (response.ok) return "checked";
  const { code } = z.object({ code: z.string() }).parse(answer);
  if (code !== "too_complex") throw new Error(`a check was answered ${response.status} ${code}`);
  return "too_complex";
}

async function largestAccepted(isAccepted: (chars: number) => Promise<boolean>): Promise<number> {
  let [accepted, refused] = [0, LARGEST_CHARS];
  while (refused - accepted > SEARCH_CHARS) {
    const middle = Math.floor((accepted + refused) / 2);
    if (await isAccepted(middle)) accepted = middle;
    else refused = middle;
  }
  return accepted;
}

function figuresOf(ms: readonly number[]): Figures {
  const sorted = ms.toSorted((a, b) => a - b);
  return { medianMs: sorted[Math.floor(sorted.length / 2)] ?? Number.NaN, worstMs: sorted.at(-1) ?? Number.NaN };
}

function milliseconds({ medianMs, worstMs }: Figures): string {
  return `${medianMs.toFixed(1)} ms (worst ${worstMs.toFixed(1)})`;
}
