import { chat } from "./chat.ts";
import { custom } from "./custom.ts";
import { database } from "./database.ts";
import { email } from "./email.ts";
import { http } from "./http.ts";
import { kubernetes } from "./kubernetes.ts";
import { notification } from "./notification.ts";
import { osService } from "./os-service.ts";
import { redis } from "./redis.ts";
import { script } from "./script.ts";
import { ssh } from "./ssh.ts";
import { teamchat } from "./teamchat.ts";
import { ticketing } from "./ticketing.ts";
import { winrm } from "./winrm.ts";

/** Every connection type, in the order in which they are offered. */
export const CONNECTIONS = {
  ssh,
  winrm,
  script,
  osService,
  kubernetes,
  database,
  redis,
  http,
  ticketing,
  chat,
  teamchat,
  email,
  notification,
  custom,
} as const;
