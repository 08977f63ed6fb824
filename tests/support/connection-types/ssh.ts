import { type ConnectionCases, IN_BRACKETS } from "../connection-case.ts";
import { makeKey } from "../ssh-keys.ts";
import { Sshd, sshdMissing } from "../sshd.ts";

export const FINGERPRINT = `SHA256:${"a".repeat(43)}`;
export const SSH = { host: "a.example.com", username: "ada", authMethod: "password" };

const SEVERAL = { username: "ada", authMethod: "password", targets: ["a.example.com", "b.example.com"] };

export const cases: ConnectionCases = {
  config: SSH,
  entry: { type: "ssh", host: "a.example.com", port: 22, username: "ada", authMethod: "password" },
  changes: [
    { host: "b.example.com" },
    { host: "a.example.com." },
    { port: 2222 },
    { username: "Ada" },
    { authMethod: "privateKey" },
    { hostKeyFingerprint: FINGERPRINT },
    { host: undefined, targets: ["a.example.com"] },
    { host: undefined, targets: ["a.example.com"], hostKeys: [`a.example.com ${FINGERPRINT}`] },
  ],
  keeps: [{ host: "A.Example.COM" }, { port: 22 }],
  otherTargets: [
    {
      config: { ...SEVERAL, hostKeys: [`a.example.com ${FINGERPRINT}`] },
      changes: [
        { targets: ["a.example.com", "c.example.com"] },
        { targets: ["a.example.com"] },
        { targets: ["a.example.com", "*.example.com"] },
        { hostKeys: undefined },
        { hostKeys: [`b.example.com ${FINGERPRINT}`] },
        { hostKeys: [`a.example.com SHA256:${"B".repeat(43)}`] },
        { port: 2222 },
      ],
    },
    {
      config: { ...SSH, hostKeyFingerprint: FINGERPRINT },
      changes: [{ hostKeyFingerprint: undefined }, { hostKeyFingerprint: `SHA256:${"B".repeat(43)}` }],
    },
  ],
  harmless: { host: [IN_BRACKETS] },
  peer: {
    missing: sshdMissing,
    start: async () => {
      const [sshd, key] = await Promise.all([Sshd.start(), makeKey()]);
      await sshd.authorize(key.publicKey);
      const { host, port, username } = sshd;
      return {
        action: "ssh.executeCommand",
        job: {
          config: { host, port, username, authMethod: "privateKey" },
          secrets: { privateKey: key.privateKey },
          params: { command: "true" },
        },
        arrivals: async () => (await sshd.log()).split("Accepted publickey").length - 1,
        stop: () => sshd.stop(),
      };
    },
  },
};
