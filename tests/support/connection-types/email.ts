import { type ConnectionCases, IN_BRACKETS } from "../connection-case.ts";
import { MAIL_PASSWORD, MAIL_USER, startMailServer } from "../mail-server.ts";

const CONFIG = { smtpHost: "mail.example.com", smtpPort: 587, useTls: true, fromAddress: "ops@example.com" };

export const cases: ConnectionCases = {
  config: CONFIG,
  entry: { type: "email", smtpHost: "mail.example.com", smtpPort: 587, useTls: true },
  changes: [{ smtpHost: "mail.evil.example" }, { smtpPort: 25 }, { useTls: false }],
  keeps: [{ smtpHost: "MAIL.example.com" }, { fromAddress: "other@example.com" }],
  harmless: { smtpHost: [IN_BRACKETS], fromAddress: [["another sender", () => "ops@evil.example"]] },
  peer: {
    missing: null,
    start: async () => {
      const server = await startMailServer({ noStartTls: true });
      return {
        action: "email.sendEmail",
        job: {
          config: { smtpHost: "127.0.0.1", smtpPort: server.port, useTls: false, fromAddress: MAIL_USER },
          secrets: { username: MAIL_USER, password: MAIL_PASSWORD },
          params: { to: "ada@example.com", subject: "hello", text: "hello" },
        },
        arrivals: () => server.mails.filter(({ user }) => user === MAIL_USER).length,
        stop: server.stop,
      };
    },
  },
};
