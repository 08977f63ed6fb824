ALTER TABLE `connections` ADD `target_edits` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `connections` ADD `target_edited` text;--> statement-breakpoint
ALTER TABLE `credentials` ADD `target_floor` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `credentials` ADD `reported` text;