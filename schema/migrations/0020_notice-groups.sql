-- No rowid: a notice is one row of the table and one of the index.
CREATE TABLE `__new_notices` (
	`channel_id` integer NOT NULL,
	`about` text NOT NULL,
	`id` text NOT NULL,
	`event_id` integer,
	`events` integer NOT NULL,
	`topic` text NOT NULL,
	`queue` integer NOT NULL,
	`attempts` integer NOT NULL,
	`next_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	PRIMARY KEY(`channel_id`, `about`),
	FOREIGN KEY (`channel_id`) REFERENCES `notice_channels`(`id`) ON UPDATE no action ON DELETE cascade
) WITHOUT ROWID;
--> statement-breakpoint
INSERT INTO `__new_notices` (`channel_id`, `about`, `id`, `event_id`, `events`, `topic`, `queue`, `attempts`, `next_at`, `expires_at`)
SELECT `channel_id`, `notices`.`id`, `notices`.`id`, `event_id`, 1, `topic`, `user_id` IS NOT NULL,
	`attempts`, min(`next_at`, `expires_at`), `expires_at`
FROM `notices` JOIN `notice_channels` ON `notice_channels`.`id` = `channel_id`;
--> statement-breakpoint
DROP TABLE `notices`;
--> statement-breakpoint
ALTER TABLE `__new_notices` RENAME TO `notices`;
--> statement-breakpoint
CREATE INDEX `notices_due` ON `notices` (`queue`,`next_at`);
