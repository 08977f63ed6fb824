/** Every number of docs/design/limits.md, named with its unit. */

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const KIB = 1_024;
const MIB = 1_024 * KIB;

// Webhook endpoint (docs/design/limits.md#webhook)
export const WEBHOOK_REQUESTS_PER_WINDOW = 60;
/** The most that a webhook may be set to. */
export const WEBHOOK_REQUESTS_MAX = 600;
export const WEBHOOK_DELIVERIES_KEPT = 10;
export const WEBHOOK_WINDOW_MS = MINUTE_MS;
export const WEBHOOK_IDEMPOTENCY_WINDOW_MS = 5 * MINUTE_MS;
export const WEBHOOK_BODY_MAX_BYTES = MIB;
export const WEBHOOK_BODY_MAX_DEPTH = 64;
export const WEBHOOK_IDEMPOTENCY_KEY_MAX_CHARS = 255;
export const WEBHOOK_FAILED_SECRETS_PER_WINDOW = 60;
export const WEBHOOK_NAMES_MAX = 20;
export const WEBHOOK_OLD_SECRETS_MAX = 2;
/** Together as long as WEBHOOK_IDEMPOTENCY_WINDOW_MS. */
export const WEBHOOK_SIGNATURE_MAX_AGE_MS = 4 * MINUTE_MS;
export const WEBHOOK_SIGNATURE_MAX_AHEAD_MS = 45_000;

// Every request's body
/** A request without another byte for this long ends with 408. */
export const BODY_STALLS_AFTER_MS = 10 * SECOND_MS;
export const BODY_ARRIVES_WITHIN_MS = MINUTE_MS;

// Management and agent calls (docs/design/limits.md#management-calls)
export const MANAGEMENT_BODY_MAX_BYTES = 4 * MIB;
/** Each value is processed several times. A workflow of 500 nodes and 5,000 edges has some 30,000. */
export const MANAGEMENT_BODY_MAX_VALUES = 50_000;
export const SIGN_IN_BODY_MAX_BYTES = 16 * KIB;
export const PASSWORD_MIN_CHARS = 12;
export const PASSWORD_MAX_CHARS = 1_024;
/** Results: an agent sends at most 8 MiB of them in one request, or a single larger one. */
export const AGENT_BODY_MAX_BYTES = 16 * MIB;
/** A heartbeat with 10,000 leases and as many credentials. */
export const AGENT_WORD_MAX_BYTES = 4 * MIB;
export const AGENT_REGISTRATION_MAX_BYTES = 256 * KIB;
/** Each costs a query, a bcrypt and a write. An agent that restarts every few seconds stays below the limit. */
export const AGENT_REGISTRATIONS_PER_MINUTE = 60;
export const ENROLMENT_CODE_LASTS_MS = HOUR_MS;
export const ENROLMENT_ATTEMPTS_PER_MINUTE = 60;
export const PAGE_SIZE_DEFAULT = 50;
export const PAGE_SIZE_MAX = 200;

// `Idempotency-Key` (docs/design/limits.md#management-calls)
export const IDEMPOTENCY_KEY_MAX_CHARS = 255;
export const IDEMPOTENCY_KEY_KEEP_MS = 24 * HOUR_MS;
export const WORKFLOW_RESTORE_MS = 24 * HOUR_MS;
// Longer than any request: a request that has not ended by then never will.
export const IDEMPOTENCY_UNDER_WAY_MS = MINUTE_MS;

// Agent status and health score (docs/design/dispatch.md#health-score)
export const OFFLINE_AFTER_MS = 90 * SECOND_MS;
export const HEARTBEAT_FULL_SCORE_MS = 60 * SECOND_MS;
export const HEARTBEAT_SCORE_POINTS = 50;
export const SUCCESS_SCORE_POINTS = 50;
export const SUCCESS_RATE_WINDOW_MS = HOUR_MS;
export const DEGRADED_MIN_FINISHED_JOBS = 5;
export const DEGRADED_BELOW_SUCCESS_RATE = 0.5;
export const DEGRADED_LEFT_AT_SUCCESS_RATE = 0.8;

// Agent process (docs/design/limits.md#agent-process)
export const POLL_INTERVAL_DEFAULT_SECONDS = 5;
export const HEARTBEAT_INTERVAL_DEFAULT_SECONDS = 30;
/** The seconds between polls of an idle agent with an open wake socket (`pollAfterSeconds` of a poll's answer). */
export const POLL_AFTER_SECONDS_DEFAULT = 60;
export const POLL_AFTER_SECONDS_MIN = 1;
export const POLL_AFTER_SECONDS_MAX = 600;
export const CONCURRENT_JOBS_DEFAULT = 5;
export const CONCURRENT_JOBS_MAX = 50;
export const SHUTDOWN_WAIT_MS = 30 * SECOND_MS;
export const ADMIN_PORT_DEFAULT = 9_191;
export const ADMIN_REQUESTS_PER_MINUTE = 60;
export const VAULT_PBKDF2_ITERATIONS = 600_000;
export const VAULT_SALT_BYTES = 16;
export const VAULT_NONCE_BYTES = 12;
export const AGENT_CALL_TIMEOUT_MS = 30 * SECOND_MS;
export const JOURNAL_KEEP_ACKNOWLEDGED_MS = 24 * HOUR_MS;
export const STREAM_MAX_BYTES = 256 * KIB;

// Service-side verification of agent keys (docs/design/limits.md#agent-calls)
export const AGENT_KEY_CACHE_ENTRIES = 1_000;
export const AGENT_KEY_CACHE_TTL_MS = 5 * MINUTE_MS;
/**
 * How long an agent's session proves that its key was verified; sessions get somewhat less, so that not all end
 * together.
 */
export const SESSION_VOUCHES_MS = HOUR_MS;

// Dispatch (docs/design/dispatch.md#dispatchers)
export const JOB_START_WITHIN_SECONDS = 60;
export const RESERVATION_RETURN_MIN_MS = 15 * SECOND_MS;
export const RESERVATION_RETURN_POLLS = 3;
/** How often a lost job that may run again goes back into the queue. */
export const LOST_TIMES_MAX = 3;
export const FINISHED_JOB_IDS_KEEP_MS = 24 * HOUR_MS;
export const RESTART_GRACE_MS = 90 * SECOND_MS;
/**
 * How often libSQL records when agents were last heard. The value is shown only for an agent that its dispatcher has
 * not heard yet, and each record costs one row per agent.
 */
export const HEARTBEATS_RECORDED_EVERY_MS = 15 * MINUTE_MS;
// The platform puts an object to sleep after 10 s without a call, and the object's memory is lost.
export const PRESENCE_FLUSH_MS = 8 * SECOND_MS;
// An agent gives up a call after 30 s: work that its dispatcher has not begun by then is left for the next call.
export const AGENT_CALL_LIMIT_MS = 20 * SECOND_MS;
export const CONNECTION_TEST_WAIT_MS = 30 * SECOND_MS;

// Workflows (docs/design/limits.md#workflows)
export const AUDIT_JOINS_SAVES_MS = 10 * MINUTE_MS;
export const AUTO_DISABLE_AFTER_FAILURES = 5;
export const ACTION_TIMEOUT_DEFAULT_SECONDS = 300;
export const ACTION_TIMEOUT_MAX_SECONDS = 24 * 60 * 60;
/** Runs that wait for each key of a workflow with `concurrency`: `queue`; and the longest key with its values. */
export const QUEUED_RUNS_DEFAULT = 100;
export const QUEUED_RUNS_MAX = 10_000;
export const CONCURRENCY_KEY_MAX_CHARS = 512;
/** Limits per target: of a group, and of a workflow. */
export const LIMIT_RUNS_MAX = 1_000;
export const LIMIT_PERIOD_MIN_SECONDS = 60;
export const LIMIT_PERIOD_MAX_SECONDS = 30 * 24 * 60 * 60;
export const LIMITS_OF_WORKFLOW_MAX = 5;
export const LIMIT_USES_SHOWN_MAX = 500;
export const SUB_WORKFLOW_TURN_MAX_MS = 60 * MINUTE_MS;
export const WORKFLOW_TAGS_MAX = 20;
export const WORKFLOW_TAG_MAX_CHARS = 50;
/** The longest window in which incident events join one run; how many events and how many bytes of them it gets. */
export const COALESCE_WINDOW_MAX_SECONDS = 60 * 60;
export const BATCH_EVENTS_MAX = 1_000;
export const BATCH_MAX_BYTES = 1_024 * 1_024;
/** Entries of a connection to many hosts, and the host keys that it knows. */
export const CONNECTION_TARGETS_MAX = 200;
export const CONNECTION_HOST_KEYS_MAX = 1_000;
export const CONNECTION_HOST_KEYS_MAX_BYTES = 96 * 1_024;
export const CONNECTION_HOST_KEY_MAX_CHARS = 400;
export const WORKFLOW_MAX_NODES = 500;
export const FOREACH_MAX_ITERATIONS = 1_000;
export const WORKFLOW_MAX_DEPTH = 5;
/** For a manual trigger. Messages list all of them. */
export const TRIGGER_INPUTS_MAX = 100;
export const RENDERED_JOB_MAX_BYTES = MIB;
/** For a script or a query, checked on save. */
export const CODE_MAX_BYTES = 200_000;
/** For the problems of a node run's templates. */
export const NODE_RUN_WARNINGS_MAX = 20;
export const NODE_RUN_WARNING_MAX_CHARS = 300;
export const OUTPUT_MAX_BYTES = 512 * KIB;
/** An output's `json` is parsed on reading, and counts for no other limit. This is the longest text that is parsed: */
export const OUTPUT_JSON_MAX_BYTES = 256 * KIB;
export const OUTPUT_JSON_MAX_DEPTH = 64;
// Parsed JSON can take 20 times the memory of its text. This is how much text is cached parsed, and parsed for one
// answer.
export const OUTPUT_JSON_KEPT_CHARS = MIB;
export const OUTPUT_JSON_SHOWN_CHARS = 2 * MIB;
export const FOREACH_RESULTS_MAX_BYTES = MIB;
export const CONDITION_MAX_DEPTH = 10;
export const FOREACH_CONCURRENCY_DEFAULT = 1;
export const FOREACH_CONCURRENCY_MAX = 100;
export const FOREACH_PAUSE_MAX_SECONDS = 3_600;
export const EXECUTION_MAX_NODE_RUNS = 10_000;
export const EXECUTION_OUTPUTS_MAX_BYTES = 16 * MIB;
/**
 * How much one step may render into jobs and sub-workflows before the rest waits for the next step: a batch has a
 * limit.
 */
export const STEP_RENDERED_MAX_BYTES = 2 * MIB;
export const EXECUTION_MAX_DURATION_MS = 400 * 24 * HOUR_MS;
export const CRON_CATCH_UP_MS = 10 * MINUTE_MS;
export const JOB_PARAMETERS_SHOWN_MAX_BYTES = 64 * KIB;

// Pause (docs/design/limits.md#pause)
export const PAUSE_REASON_MAX_CHARS = 500;
/** Windows that have not ended, and the entries of each of a window's lists. */
export const MAINTENANCE_WINDOWS_MAX = 100;
export const MAINTENANCE_ENTRIES_MAX = 100;
export const MAINTENANCE_WINDOW_MAX_MS = 90 * 24 * HOUR_MS;
export const MAINTENANCE_REASON_MAX_CHARS = 500;
export const PAUSE_FOLLOWED_WITHIN_MS = 5_000;

// Notification rules (docs/design/notifications.md)
export const NOTIFICATION_RULES_MAX = 100;
/** Workflows, tags or pools that a rule names. */
export const RULE_ENTRIES_MAX = 100;
export const RULE_RECEIVERS_MAX = 10;
export const RULE_GROUP_DEFAULT_MINUTES = 5;
export const RULE_GROUP_MAX_MINUTES = 24 * 60;
/** The longest `minutes` of a rule. */
export const RULE_MINUTES_MAX = 24 * 60;
/** Pools, and agents without one, whose state is looked at for rules. */
export const ALERT_POOLS_MAX = 200;
export const ALERT_SINGLE_AGENTS_MAX = 200;
/** Items of a forEach that a dry run looks at, and problems of later items that it shows. */
export const DRY_RUN_ITEMS_MAX = 100;
export const DRY_RUN_PROBLEMS_MAX = 20;
/** Events that one message describes; it counts the others. */
export const NOTICE_LINES_MAX = 20;
/** Notices of a rule that the service remembers. */
export const NOTICES_KEPT = 50;
/** Messages to one receiver that are on their way at once. */
export const NOTICES_WAITING_MAX = 50;
/** How long a notice is tried. */
export const NOTICE_TRIED_MS = 24 * HOUR_MS;
/** Attempts to one receiver at once. */
export const NOTICE_ATTEMPTS_AT_ONCE = 2;
/** A connection whose target refuses its login is reported so often at most. */
export const REFUSED_LOGINS_APART_MS = HOUR_MS;
/** How much later than it happened an event may become readable, and is still reported. */
export const ALERT_OVERLAP_MS = 5 * MINUTE_MS;

// Credentials (docs/design/credentials.md#delivery-states)
export const SEALED_CREDENTIAL_KEEP_MS = 24 * HOUR_MS;
/** No real version comes near it; an agent's report must not lead to numbers that the service cannot store. */
export const CREDENTIAL_VERSION_MAX = 2 ** 31;

// Incidents and integrations (docs/design/limits.md#incidents-and-integrations)
export const INCIDENT_TAGS_MAX = 100;
export const INTEGRATION_REQUESTS_PER_MINUTE = 600;
/** One group of Alertmanager in a storm: it sends a group that is refused only again as a whole. */
export const INTEGRATION_BODY_MAX_BYTES = 4 * MIB;
export const INTEGRATION_DELIVERY_MAX_CHANGES = 1_000;
/** Alerts or events in one delivery: a body can hold many more invalid ones, and each would be processed. */
export const INTEGRATION_DELIVERY_MAX_ENTRIES = 10_000;
export const SEVERITY_WORDS_MAX = 50;

// Notifications (docs/design/limits.md#notifications)
export const NOTIFICATION_RECEIVERS_MAX = 200;
export const RECEIVER_TESTS_PER_MINUTE = 10;
/** Of a notice's text in one message, in the form in which the receiver counts. */
export const NOTICE_TEXT_MAX_BYTES = 10_000;

// Retention (docs/design/limits.md#retention)
export const RETENTION_EXECUTION_DAYS = 90;
export const RETENTION_FAILED_DAYS = 180;
export const RETENTION_INCIDENT_DAYS = 400;
export const RETENTION_AUDIT_DAYS = 400;
export const RETENTION_MISSED_RUN_DAYS = 30;
export const RETENTION_DELIVERY_DAYS = 30;
export const RETENTION_LATE_RESULT_DAYS = 30;
export const RETENTION_DAYS_MAX = 3_650;
export const RETENTION_SHORTER_AFTER_MS = 24 * HOUR_MS;
/** No repeated step comes so late. */
export const RETENTION_EVENTS_KEEP_MS = 7 * 24 * HOUR_MS;
export const RETENTION_PASS_MAX_MS = 20_000;
export const RETENTION_PASS_MAX_ROWS = 50_000;
export const RETENTION_COUNT_MAX = 100_000;
export const RETENTION_COUNT_EVERY_MS = 24 * HOUR_MS;
export const RETENTION_AUDIT_EVERY_MS = 24 * HOUR_MS;
export const AUDIT_EXPORT_PAGE_ROWS = 500;
export const AUDIT_EXPORT_LAG_MS = MINUTE_MS;
export const RETENTION_EXPORT_OBJECT_BYTES = 8_000_000;
export const RETENTION_EXPORT_FILE_MAX_BYTES = 256 * MIB;
export const RETENTION_EXPORT_REQUEST_MAX_MS = 30 * SECOND_MS;
export const RETENTION_EXPORT_RETRY_MIN_MS = MINUTE_MS;
export const RETENTION_EXPORT_RETRY_MAX_MS = HOUR_MS;

// Traces (docs/design/limits.md#traces)
export const TRACE_QUEUE_MAX = 10_000;
export const TRACE_PORTION_EXECUTIONS = 50;
export const TRACE_PORTION_NODE_RUNS = 2_000;
export const TRACE_REQUEST_MAX_SPANS = 1_000;
export const TRACE_REQUEST_MAX_BYTES = 800_000;
export const TRACE_REQUEST_MAX_MS = 10 * SECOND_MS;
export const TRACE_PASS_MAX_MS = 20 * SECOND_MS;
/** Below a minute, so that the next pass tries again. */
export const TRACE_RETRY_MIN_MS = 30 * SECOND_MS;
export const TRACE_RETRY_MAX_MS = 15 * MINUTE_MS;

// Statistics: the limits of one answer, independent of how much is stored
export const STATISTICS_SPAN_DEFAULT_MS = 24 * HOUR_MS;
export const STATISTICS_SPAN_MAX_MS = 92 * 24 * HOUR_MS;
export const STATISTICS_BUCKETS_DEFAULT = 24;
export const STATISTICS_BUCKETS_MAX = 100;
export const STATISTICS_EXECUTIONS_MAX = 60_000;
export const STATISTICS_JOBS_MAX = 12_000;

// Overview (docs/design/limits.md#overview)
export const OVERVIEW_WAITING_AFTER_MS = 5 * MINUTE_MS;
export const OVERVIEW_FAILED_SPAN_MS = 24 * HOUR_MS;
export const OVERVIEW_ITEMS_MAX = 25;
export const OVERVIEW_WORKFLOWS_MAX = 100;
export const OVERVIEW_FAILURES_MAX = 1_000;
export const OVERVIEW_RUNS_MAX = 1_000;
export const OVERVIEW_AGENTS_MAX = 1_000;
export const OVERVIEW_CONNECTIONS_MAX = 500;
export const OVERVIEW_JOBS_LOOKED_AT = 500;
