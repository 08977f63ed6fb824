CREATE TABLE `batched_events` (
	`execution_id` text NOT NULL,
	`position` integer NOT NULL,
	`workflow_id` text NOT NULL,
	`trigger_key` text,
	`snapshot` text,
	PRIMARY KEY(`execution_id`, `position`)
);
--> statement-breakpoint
CREATE UNIQUE INDEX `batched_events_trigger_key` ON `batched_events` (`trigger_key`,`workflow_id`) WHERE "batched_events"."trigger_key" is not null;--> statement-breakpoint
CREATE UNIQUE INDEX `executions_collecting` ON `executions` (`workflow_id`,("hold" ->> '$.key')) WHERE "hold" ->> '$.code' = 'collecting';