CREATE TABLE `folder_metas` (
	`path` text PRIMARY KEY NOT NULL,
	`remote_id` integer NOT NULL,
	`is_own` integer NOT NULL,
	`read_users` text,
	`write_users` text
);
--> statement-breakpoint
CREATE TABLE `folder_rules` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`path` text NOT NULL,
	`built_in` text,
	`group_id` integer,
	`user_id` integer,
	`access` text NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`group_id`) REFERENCES `groups`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "folder_rules_one" CHECK(("folder_rules"."built_in" is not null) + ("folder_rules"."group_id" is not null) + ("folder_rules"."user_id" is not null) = 1),
	CONSTRAINT "folder_rules_built_in" CHECK("folder_rules"."built_in" in ('user', 'guest')),
	CONSTRAINT "folder_rules_access" CHECK("folder_rules"."access" in ('none', 'read', 'write'))
);
--> statement-breakpoint
CREATE UNIQUE INDEX `folder_rules_built_in` ON `folder_rules` (`path`,`built_in`);--> statement-breakpoint
CREATE UNIQUE INDEX `folder_rules_group` ON `folder_rules` (`group_id`,`path`);--> statement-breakpoint
CREATE UNIQUE INDEX `folder_rules_user` ON `folder_rules` (`user_id`,`path`);--> statement-breakpoint
CREATE TABLE `folder_state` (
	`id` integer PRIMARY KEY NOT NULL,
	`version` text NOT NULL,
	`written` text NOT NULL,
	CONSTRAINT "folder_state_one" CHECK("folder_state"."id" = 1)
);
--> statement-breakpoint
CREATE TABLE `group_members` (
	`group_id` integer NOT NULL,
	`user_id` integer NOT NULL,
	`added_at` integer NOT NULL,
	`added_by` integer,
	`source` text NOT NULL,
	PRIMARY KEY(`group_id`, `user_id`),
	FOREIGN KEY (`group_id`) REFERENCES `groups`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `group_members_user` ON `group_members` (`user_id`);--> statement-breakpoint
CREATE TABLE `groups` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`name` text NOT NULL,
	`name_key` text NOT NULL,
	`note` text DEFAULT '' NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `groups_name_key` ON `groups` (`name_key`);--> statement-breakpoint
CREATE TRIGGER `folder_state_rule_insert` AFTER INSERT ON `folder_rules` BEGIN
	INSERT INTO `folder_state` (`id`, `version`, `written`) VALUES (1, lower(hex(randomblob(16))), '')
		ON CONFLICT (`id`) DO UPDATE SET `version` = excluded.`version`;
END;
--> statement-breakpoint
CREATE TRIGGER `folder_state_rule_update` AFTER UPDATE ON `folder_rules` BEGIN
	INSERT INTO `folder_state` (`id`, `version`, `written`) VALUES (1, lower(hex(randomblob(16))), '')
		ON CONFLICT (`id`) DO UPDATE SET `version` = excluded.`version`;
END;
--> statement-breakpoint
CREATE TRIGGER `folder_state_rule_delete` AFTER DELETE ON `folder_rules` BEGIN
	INSERT INTO `folder_state` (`id`, `version`, `written`) VALUES (1, lower(hex(randomblob(16))), '')
		ON CONFLICT (`id`) DO UPDATE SET `version` = excluded.`version`;
END;
--> statement-breakpoint
CREATE TRIGGER `folder_state_member_insert` AFTER INSERT ON `group_members`
WHEN EXISTS (SELECT 1 FROM `folder_rules` WHERE `group_id` = new.`group_id`) BEGIN
	INSERT INTO `folder_state` (`id`, `version`, `written`) VALUES (1, lower(hex(randomblob(16))), '')
		ON CONFLICT (`id`) DO UPDATE SET `version` = excluded.`version`;
END;
--> statement-breakpoint
CREATE TRIGGER `folder_state_member_delete` AFTER DELETE ON `group_members`
WHEN EXISTS (SELECT 1 FROM `folder_rules` WHERE `group_id` = old.`group_id`) BEGIN
	INSERT INTO `folder_state` (`id`, `version`, `written`) VALUES (1, lower(hex(randomblob(16))), '')
		ON CONFLICT (`id`) DO UPDATE SET `version` = excluded.`version`;
END;
--> statement-breakpoint
CREATE TRIGGER `folder_state_user_insert` AFTER INSERT ON `users`
WHEN EXISTS (SELECT 1 FROM `folder_rules`) BEGIN
	INSERT INTO `folder_state` (`id`, `version`, `written`) VALUES (1, lower(hex(randomblob(16))), '')
		ON CONFLICT (`id`) DO UPDATE SET `version` = excluded.`version`;
END;
--> statement-breakpoint
CREATE TRIGGER `folder_state_user_delete` AFTER DELETE ON `users`
WHEN EXISTS (SELECT 1 FROM `folder_rules`) BEGIN
	INSERT INTO `folder_state` (`id`, `version`, `written`) VALUES (1, lower(hex(randomblob(16))), '')
		ON CONFLICT (`id`) DO UPDATE SET `version` = excluded.`version`;
END;
--> statement-breakpoint
CREATE TRIGGER `folder_state_user_role` AFTER UPDATE OF `role` ON `users`
WHEN old.`role` <> new.`role` AND EXISTS (SELECT 1 FROM `folder_rules`) BEGIN
	INSERT INTO `folder_state` (`id`, `version`, `written`) VALUES (1, lower(hex(randomblob(16))), '')
		ON CONFLICT (`id`) DO UPDATE SET `version` = excluded.`version`;
END;
--> statement-breakpoint
CREATE TRIGGER `folder_state_guest` AFTER UPDATE OF `disabled`, `ends_at` ON `users`
WHEN new.`role` = 1 AND (old.`disabled`, old.`ends_at`) IS NOT (new.`disabled`, new.`ends_at`) AND EXISTS (SELECT 1 FROM `folder_rules`) BEGIN
	INSERT INTO `folder_state` (`id`, `version`, `written`) VALUES (1, lower(hex(randomblob(16))), '')
		ON CONFLICT (`id`) DO UPDATE SET `version` = excluded.`version`;
END;
--> statement-breakpoint
CREATE TRIGGER `folder_state_file_user_insert` AFTER INSERT ON `file_users`
WHEN EXISTS (SELECT 1 FROM `folder_rules`) BEGIN
	INSERT INTO `folder_state` (`id`, `version`, `written`) VALUES (1, lower(hex(randomblob(16))), '')
		ON CONFLICT (`id`) DO UPDATE SET `version` = excluded.`version`;
END;
--> statement-breakpoint
CREATE TRIGGER `folder_state_file_user_delete` AFTER DELETE ON `file_users`
WHEN EXISTS (SELECT 1 FROM `folder_rules`) BEGIN
	INSERT INTO `folder_state` (`id`, `version`, `written`) VALUES (1, lower(hex(randomblob(16))), '')
		ON CONFLICT (`id`) DO UPDATE SET `version` = excluded.`version`;
END;
--> statement-breakpoint
CREATE TRIGGER `folder_state_file_user_update` AFTER UPDATE OF `remote_id` ON `file_users`
WHEN old.`remote_id` <> new.`remote_id` AND EXISTS (SELECT 1 FROM `folder_rules`) BEGIN
	INSERT INTO `folder_state` (`id`, `version`, `written`) VALUES (1, lower(hex(randomblob(16))), '')
		ON CONFLICT (`id`) DO UPDATE SET `version` = excluded.`version`;
END;
