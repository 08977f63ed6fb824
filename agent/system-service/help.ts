export const SERVICE_HELP = `Usage: bellhop-agent service install | uninstall | status [options]
Runs the agent as a service of this machine: a systemd unit on Linux, a task at system start on Windows.

  install [options]     writes the unit and the configuration, enables and starts the service, and waits until the
                        agent is registered; repeated, it changes what differs
    --url <address>     the deployment's address (AGENT_API_URL)
    --key-file <path>   a file with the agent's key, - for standard input; else AGENT_API_KEY, what the configuration
                        has already, or a question. The key never stands on the command line.
    --dry-run           prints what would be written, and writes nothing
    --force             also replaces a unit that somebody changed
    --no-wait           does not wait for the registration
   On Linux also:
    --user <name>       the user that the agent and its scripts run as (bellhop-agent, which is made when it is
                        missing); root for an agent that is to administer the whole machine: no protection is left then
    --allow-os-services <unit>
                        lets os.startService, stopService and restartService act on this unit, by a rule of polkit;
                        may be repeated, all for every unit. root needs none.
    --allow-sudo        lets scripts use sudo, as far as sudoers allow the user: that takes most protection away
    --writable <dir>    a directory that scripts may write to, as far as its mode allows; may be repeated
  uninstall [--purge]   stops and removes the service; --purge also removes the vault with every credential in it, the
                        journal, the configuration and the user that install made
  status [--json]       whether it runs and since when, its version, its last contact, where its log is; exit code 0
                        while it runs, 69 when it does not

Variables of the agent that are set when install runs (AGENT_NAME, ALLOW_OS_RESTART, HTTPS_PROXY …) are written into
the configuration: /etc/bellhop/agent.env, on Windows %ProgramData%\\Bellhop\\agent.env. Edit it there, and restart.
`;
