ALTER TABLE `audit_events` ADD `country` text DEFAULT '' NOT NULL;
--> statement-breakpoint
CREATE TABLE `notice_channels` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`user_id` integer,
	`kind` text NOT NULL,
	`name` text NOT NULL,
	`target` text NOT NULL,
	`config` text NOT NULL,
	`topics` text NOT NULL,
	`language` text NOT NULL,
	`origin` text NOT NULL,
	`since_event_id` integer NOT NULL,
	`created_at` integer NOT NULL,
	`last_sent_at` integer,
	`last_failed_at` integer,
	`failure` text DEFAULT '' NOT NULL,
	`lost` integer DEFAULT 0 NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `notice_channels_user` ON `notice_channels` (`user_id`);
--> statement-breakpoint
-- No rowid: a notice then costs one row written. It is deleted when it was sent, so the table stays small.
CREATE TABLE `notices` (
	`id` text PRIMARY KEY NOT NULL,
	`channel_id` integer NOT NULL,
	`event_id` integer,
	`topic` text NOT NULL,
	`attempts` integer NOT NULL,
	`next_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	FOREIGN KEY (`channel_id`) REFERENCES `notice_channels`(`id`) ON UPDATE no action ON DELETE cascade
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `notice_cursor` (
	`id` integer PRIMARY KEY NOT NULL,
	`event_id` integer NOT NULL,
	CONSTRAINT "notice_cursor_one" CHECK("notice_cursor"."id" = 1)
);
--> statement-breakpoint
INSERT INTO `notice_cursor` (`id`, `event_id`) SELECT 1, coalesce(max(`id`), 0) FROM `audit_events`;
