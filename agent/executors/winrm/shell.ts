import { ExecutorFailure } from "../shared/failures.ts";
import { createShell, deleteShell, receiveOutput, runCommand, sendInput, terminate } from "./envelopes.ts";
import { WsmanFault } from "./faults.ts";
import type { WsmanSession } from "./session.ts";
import { elementOf, elementsOf, type XmlElement } from "./xml.ts";

/** How long the host keeps an idle shell. It ends what a lost agent left running. One minute is the minimum. */
export const SHELL_IDLE_SECONDS = 60;
/** The limit of the host's wait for output. With output it answers immediately. */
const RECEIVE_SECONDS = 20;

export interface Received {
  stdout: Buffer[];
  stderr: Buffer[];
  /** Set when the command has ended. */
  exitCode: number | null;
}

/** Creates a shell with these variables and returns its id. */
export async function openShell(session: WsmanSession, environment: Readonly<Record<string, string>>): Promise<string> {
  const answer = await session.perform(createShell(environment, SHELL_IDLE_SECONDS)).catch((error: unknown) => {
    throw isTooLarge(error) && Object.keys(environment).length > 0 ? tooLarge(error) : error;
  });
  const selector = elementsOf(answer, "Selector").find(({ attributes }) => attributes["Name"] === "ShellId");
  return idIn(selector ?? elementOf(answer, "ShellId"), "shell");
}

/** Starts a command line in the shell and returns the command's id. */
export async function startCommand(session: WsmanSession, shellId: string, command: string): Promise<string> {
  return idIn(elementOf(await session.perform(runCommand(shellId, command)), "CommandId"), "command");
}

export async function send(
  session: WsmanSession,
  { shellId, commandId }: { shellId: string; commandId: string },
  bytes: Buffer,
  last: boolean,
): Promise<void> {
  await session.perform(sendInput(shellId, commandId, bytes, last));
}

/** The command's output since the last call. Waits for it up to 20 s. */
export async function receive(session: WsmanSession, shellId: string, commandId: string): Promise<Received> {
  let answer: XmlElement;
  try {
    answer = await session.perform(receiveOutput(shellId, commandId, RECEIVE_SECONDS));
  } catch (error) {
    if (error instanceof WsmanFault && error.timedOut) return { stdout: [], stderr: [], exitCode: null };
    throw error;
  }
  const streams = elementsOf(answer, "Stream");
  const bytesOf = (name: string): Buffer[] =>
    streams.filter(({ attributes }) => attributes["Name"] === name).map(({ text }) => Buffer.from(text, "base64"));
  const state = elementOf(answer, "CommandState");
  const done = state?.attributes["State"]?.endsWith("/CommandState/Done") === true;
  return { stdout: bytesOf("stdout"), stderr: bytesOf("stderr"), exitCode: done ? exitCodeIn(state) : null };
}

export async function signalTerminate(session: WsmanSession, shellId: string, commandId: string): Promise<void> {
  await session.perform(terminate(shellId, commandId));
}

/** Ends the shell and everything that runs in it. */
export async function closeShell(session: WsmanSession, shellId: string): Promise<void> {
  await session.perform(deleteShell(shellId));
}

/** Windows exit codes are unsigned 32-bit numbers. Some hosts write them as signed ones. */
function exitCodeIn(state: XmlElement): number {
  const element = elementOf(state, "ExitCode");
  const code = element === null || element.text.trim() === "" ? Number.NaN : Number(element.text);
  if (!Number.isSafeInteger(code)) {
    throw new ExecutorFailure(
      "invalid_response",
      "The host reports that the command has ended, but gives no exit code. Check its result on the host.",
    );
  }
  return code;
}

function isTooLarge(error: unknown): error is WsmanFault {
  return error instanceof WsmanFault && error.subcode === "EncodingLimit";
}

/** Within the limits of an environment, but not of the host's envelopes: XML writes `&` as five characters. */
function tooLarge(fault: WsmanFault): ExecutorFailure {
  const message = `The values, as XML, are larger than the host allows. Pass less data. ${fault.message}`;
  return new ExecutorFailure("values_too_large", message, null, { cause: fault });
}

function idIn(element: XmlElement | null, of: string): string {
  const id = element?.text.trim() ?? "";
  if (id !== "") return id;
  throw new ExecutorFailure(
    "invalid_response",
    `The host's answer does not name the ${of} that it was asked to make. Check which program answers on this port.`,
  );
}
