CREATE TABLE `notification_channels` (
	`channel` text PRIMARY KEY NOT NULL,
	`settings` text NOT NULL,
	`sealed_secrets` text,
	`revision` integer NOT NULL,
	`updated_at` integer NOT NULL
);
