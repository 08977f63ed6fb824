ALTER TABLE `agents` ADD `enrolment_digest` text;--> statement-breakpoint
ALTER TABLE `agents` ADD `enrolment_expires_at` integer;--> statement-breakpoint
CREATE UNIQUE INDEX `agents_enrolment` ON `agents` (`enrolment_digest`);