CREATE TABLE `retention_exports` (
	`kind` text PRIMARY KEY NOT NULL,
	`portion` text,
	`rows` integer DEFAULT 0 NOT NULL,
	`bytes` integer DEFAULT 0 NOT NULL,
	`exported_at` integer,
	`failures` integer DEFAULT 0 NOT NULL,
	`failing_since` integer,
	`failed_at` integer,
	`error` text
);
