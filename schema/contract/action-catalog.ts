import { SSH_ACTIONS } from "./actions/ssh.ts";
import { HTTP_ACTIONS } from "./actions/http.ts";
import { KUBERNETES_ACTIONS } from "./actions/kubernetes.ts";
import { CHAT_ACTIONS } from "./actions/chat.ts";
import { TICKETING_ACTIONS } from "./actions/ticketing.ts";
import { EMAIL_ACTIONS } from "./actions/email.ts";
import { TEAMCHAT_ACTIONS } from "./actions/teamchat.ts";
import { DATABASE_ACTIONS } from "./actions/database.ts";
import { WINRM_ACTIONS } from "./actions/winrm.ts";
import { SCRIPT_ACTIONS } from "./actions/script.ts";
import { OS_SERVICE_ACTIONS } from "./actions/os-service.ts";
import { NOTIFICATION_ACTIONS } from "./actions/notification.ts";

/** The 29 actions of the specification, by name; each connection type has its own file. */
export const ACTIONS = {
  ...SSH_ACTIONS,
  ...HTTP_ACTIONS,
  ...KUBERNETES_ACTIONS,
  ...CHAT_ACTIONS,
  ...TICKETING_ACTIONS,
  ...EMAIL_ACTIONS,
  ...TEAMCHAT_ACTIONS,
  ...DATABASE_ACTIONS,
  ...WINRM_ACTIONS,
  ...SCRIPT_ACTIONS,
  ...OS_SERVICE_ACTIONS,
  ...NOTIFICATION_ACTIONS,
} as const;
