ALTER TABLE `connections` ADD `usable_by` text;--> statement-breakpoint
ALTER TABLE `executions` ADD `started_by` text DEFAULT '[]' NOT NULL;--> statement-breakpoint
ALTER TABLE `executions` ADD `approved` text;--> statement-breakpoint
ALTER TABLE `workflow_versions` ADD `published_by_person` text;--> statement-breakpoint
ALTER TABLE `workflow_versions` ADD `changed_by` text DEFAULT '[]' NOT NULL;--> statement-breakpoint
ALTER TABLE `workflows` ADD `changed_by` text DEFAULT '[]' NOT NULL;--> statement-breakpoint
-- Nobody noted who changed the drafts of before.
UPDATE `workflows` SET `changed_by` = '["unknown"]';