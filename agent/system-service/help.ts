export const SERVICE_HELP = `Usage: bellhop-agent service install | uninstall | status [options]
Runs the agent as a service of this machine: systemd units on Linux, a task at system start on Windows. On Linux each job
runs in its own unit, under an account that exists for that job alone, and cannot reach the agent.

  install [options]     writes the units and the configuration, enables and starts the service, and waits until the
                        agent is registered; repeated, it changes what differs. Options that are left out are
                        removed: repeat those that you need, also after an update.
    --url <address>     the deployment's address (AGENT_API_URL)
    --key-file <path>   a file with the agent's key or an enrolment code, - for standard input; otherwise
                        BELLHOP_ENROLMENT_CODE, AGENT_API_KEY, the key in the configuration, or a question. A code is
                        exchanged for the key, once. Neither is ever on the command line. On Linux the key is kept in
                        /etc/bellhop/agent.key, which only the agent's account can read.
    --dry-run           lists what install would make and write, with the texts, and writes nothing
    --force             also replaces units that were changed by hand
    --no-wait           does not wait for the registration
   On Linux also:
    --user <name>       the account of the agent itself (bellhop-agent, which is made when it is missing); jobs have
                        other accounts, in the group bellhop-job. root: for an agent that administers the whole machine;
                        its jobs then run as root, too, and can read its key and credentials
    --allow-os-services <unit>
                        lets os.startService, stopService and restartService act on this unit, by a rule of polkit for
                        the agent's account; scripts cannot use it. May be repeated, all for every unit. root needs none.
    --allow-sudo        lets scripts use sudo, as far as sudoers allow the account bellhop-job, which all jobs then have:
                        that removes most protection. A rule for everything also opens the agent's key and credentials.
    --writable <dir>    a directory that scripts may write to; may be repeated. The group bellhop-job must be able to write
                        there: where it is not, install prints the command.
  uninstall [--purge]   stops and removes the service; --purge also removes the vault with every credential in it, the
                        journal, the configuration and the users that install made
  status [--json]       whether it runs and since when, its version, its last contact, how jobs are isolated from it
                        (isolation), the options of install, the place of its log; exit code 0 while it runs, otherwise 69

Variables of the agent that are set when install runs (AGENT_NAME, ALLOW_OS_RESTART, HTTPS_PROXY …) are written into
the configuration: /etc/bellhop/agent.env, on Windows %ProgramData%\\Bellhop\\agent.env. Edit it there, and restart.
`;
