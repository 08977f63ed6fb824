import { CONNECTION_TYPES, takesCredential } from "../../schema/contract/connection.ts";
import { secretNames } from "../../schema/contract/secret-shapes.ts";

const TYPE_WIDTH = Math.max(...CONNECTION_TYPES.map((type) => type.length));
const SECRETS_OF_TYPES = CONNECTION_TYPES.filter(takesCredential)
  .map((type) => `    ${type.padEnd(TYPE_WIDTH)}  ${secretNames(type)}`)
  .join("\n");

export const CREDENTIALS_HELP = `Looks after the credentials in this machine's vault: the secrets of connections.

Usage:
  bellhop-agent credentials set <connectionId> [--type ssh] [--name password]... [--from-file privateKey=path]...
                                               [--target <json>] [--yes]
  bellhop-agent credentials bind <connectionId> [--target <json>] [--yes]
  bellhop-agent credentials list [--json]
  bellhop-agent credentials delete <connectionId>

set replaces the whole credential of a connection. Secrets are never arguments. They come:
  by asking         set con_… --type ssh                      asks for what that type needs; nothing is shown
                    set con_… --name username --name password asks for these
  from files        set con_… --from-file privateKey=id_ed25519 --from-file passphrase=pass.txt
                    a path of - is standard input; one line loses its line break
  from a pipe       pass show db | bellhop-agent credentials set con_… --name password
  as JSON           echo '{"username": …, "password": …}' | bellhop-agent credentials set con_…
  --type also checks that the names are those of the type:
${SECRETS_OF_TYPES}

A credential is used only for its target: the place that the connection leads to when it is bound.
  set   binds it to --target. At a terminal it offers what a refused job asked for, or what the old one was bound
        to; --yes keeps what the old one was bound to. Otherwise the credential is stored unbound, and no job uses it.
  bind  shows the target that the last refused job asked for, asks, and binds the credential to it: run the
        connection's test first. Without a terminal: --yes --target, as the job's error shows it. --yes alone never
        agrees to what a job asked for.

list shows the names of the secrets, their targets, never values, and the fingerprint of this agent's key.

--env-file <path> with each of them is the agent's configuration, as for run.

The running agent makes the changes; VAULT_PATH leads to it. Use the agent's user and VAULT_PATH, and its ADMIN_TOKEN
if it has one. Where no agent runs, the command opens the vault, with AGENT_API_KEY or AGENT_API_KEY_FILE, and with the
agent's SLACK_API_URL for a credential of type chat, its JOB_USER for a kubeconfig, which is read as jobs read it.

Exit codes:
  0   done                        73  the vault cannot be written
  1   failed, or nothing there    75  an agent has just begun to use the vault: try again
  64  wrong arguments             77  the token is wrong, or the vault is another user's
  65  the secrets are wrong       78  the configuration is wrong
  69  no agent answers, or it is busy
`;
