import { SYSTEM_SID } from "../../windows-access.ts";

/** The task's name in Task Scheduler. */
export const TASK = "Bellhop Agent";

/**
 * The task that starts the agent with the system, as LocalSystem. It is no service, because a service must call
 * StartServiceCtrlDispatcher within 30 s, which an executable of Bun cannot do. A trigger starts the task every minute,
 * which IgnoreNew ignores while it runs: RestartOnFailure applies only to a program that could not be started, not to
 * one that ended ([MS-TSCH] 2.5.4.2).
 */
export function taskXml({ executable, envFile, log }: { executable: string; envFile: string; log: string }): string {
  return `<?xml version="1.0" encoding="UTF-16"?>
<Task version="1.2" xmlns="http://schemas.microsoft.com/windows/2004/02/mit/task">
  <RegistrationInfo>
    <Author>Bellhop</Author>
    <Description>Runs the actions of Bellhop workflows on this machine. Written by bellhop-agent service install.</Description>
  </RegistrationInfo>
  <Triggers>
    <BootTrigger>
      <Enabled>true</Enabled>
    </BootTrigger>
    <TimeTrigger>
      <Repetition>
        <Interval>PT1M</Interval>
        <StopAtDurationEnd>false</StopAtDurationEnd>
      </Repetition>
      <StartBoundary>2026-01-01T00:00:00</StartBoundary>
      <Enabled>true</Enabled>
    </TimeTrigger>
  </Triggers>
  <Principals>
    <Principal id="Author">
      <UserId>${SYSTEM_SID}</UserId>
      <RunLevel>HighestAvailable</RunLevel>
    </Principal>
  </Principals>
  <Settings>
    <MultipleInstancesPolicy>IgnoreNew</MultipleInstancesPolicy>
    <DisallowStartIfOnBatteries>false</DisallowStartIfOnBatteries>
    <StopIfGoingOnBatteries>false</StopIfGoingOnBatteries>
    <AllowHardTerminate>true</AllowHardTerminate>
    <StartWhenAvailable>true</StartWhenAvailable>
    <RunOnlyIfNetworkAvailable>false</RunOnlyIfNetworkAvailable>
    <AllowStartOnDemand>true</AllowStartOnDemand>
    <Enabled>true</Enabled>
    <Hidden>false</Hidden>
    <ExecutionTimeLimit>PT0S</ExecutionTimeLimit>
    <Priority>5</Priority>
    <RestartOnFailure>
      <Interval>PT1M</Interval>
      <Count>255</Count>
    </RestartOnFailure>
  </Settings>
  <Actions Context="Author">
    <Exec>
      <Command>${escaped(`"${executable}"`)}</Command>
      <Arguments>${escaped(`run --env-file "${envFile}" --log-file "${log}" --hold-superseded`)}</Arguments>
    </Exec>
  </Actions>
</Task>
`;
}

/** Task Scheduler reads UTF-16 with a byte order mark. */
export function taskXmlBytes(xml: string): Buffer {
  return Buffer.from(`\uFEFF${xml.replaceAll(/\r?\n/gu, "\r\n")}`, "utf16le");
}

export const SCHTASKS = {
  create: (xmlPath: string) => ["/Create", "/TN", TASK, "/XML", xmlPath, "/F"],
  run: ["/Run", "/TN", TASK],
  end: ["/End", "/TN", TASK],
  disable: ["/Change", "/TN", TASK, "/DISABLE"],
  delete: ["/Delete", "/TN", TASK, "/F"],
  /** The XML is the same in every language of Windows. */
  query: ["/Query", "/TN", TASK, "/XML"],
} as const satisfies Record<string, readonly string[] | ((path: string) => readonly string[])>;

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}
