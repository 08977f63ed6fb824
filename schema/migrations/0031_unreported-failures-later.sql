ALTER TABLE `unreported_failures` ADD `not_before` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE INDEX `unreported_failures_by_time` ON `unreported_failures` (`not_before`);