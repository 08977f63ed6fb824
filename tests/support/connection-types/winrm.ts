import { type ConnectionCases, IN_BRACKETS } from "../connection-case.ts";
import { winrmJob } from "../winrm-jobs.ts";
import { WinrmServer, winrmServerMissing } from "../winrm-server/index.ts";

const CONFIG = { host: "w.example.com", port: 5986, useSsl: true, authMethod: "ntlm" };

export const cases: ConnectionCases = {
  config: CONFIG,
  entry: { type: "winrm", ...CONFIG },
  changes: [
    { host: "other.example.com" },
    { port: 5985 },
    { useSsl: false },
    { authMethod: "basic" },
    { authMethod: "kerberos" },
    { host: undefined, targets: ["w.example.com"] },
  ],
  otherTargets: [
    {
      config: { port: 5986, useSsl: true, authMethod: "ntlm", targets: ["w.example.com"] },
      changes: [{ targets: ["w-*.example.com"] }, { targets: ["w.example.com:5987"] }, { port: 5987 }],
    },
  ],
  keeps: [{ host: "W.EXAMPLE.com" }],
  harmless: { host: [IN_BRACKETS] },
  peer: {
    missing: winrmServerMissing,
    start: async () => {
      const server = await WinrmServer.start();
      const { config = {}, ...job } = winrmJob(server, { params: { script: "exit 0" } });
      return {
        action: "winrm.executeScript",
        job: { ...job, config },
        arrivals: async () => (await server.log()).filter(({ login }) => login !== undefined).length,
        stop: () => server.stop(),
      };
    },
  },
};
