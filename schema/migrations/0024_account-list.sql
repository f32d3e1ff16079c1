CREATE TABLE `account_list` (
	`id` integer PRIMARY KEY NOT NULL,
	`version` text NOT NULL
);
--> statement-breakpoint
INSERT INTO `account_list` (`id`, `version`) VALUES (1, lower(hex(randomblob(16))));
--> statement-breakpoint
-- The list of the LDAP door has another version after every change of what it shows.
CREATE TRIGGER `account_list_insert` AFTER INSERT ON `users` BEGIN
	INSERT INTO `account_list` (`id`, `version`) VALUES (1, lower(hex(randomblob(16))))
	ON CONFLICT (`id`) DO UPDATE SET `version` = excluded.`version`;
END;
--> statement-breakpoint
CREATE TRIGGER `account_list_delete` AFTER DELETE ON `users` BEGIN
	INSERT INTO `account_list` (`id`, `version`) VALUES (1, lower(hex(randomblob(16))))
	ON CONFLICT (`id`) DO UPDATE SET `version` = excluded.`version`;
END;
--> statement-breakpoint
CREATE TRIGGER `account_list_update` AFTER UPDATE OF `id`, `username`, `role`, `permission`, `disabled`, `ends_at` ON `users`
WHEN (old.`id`, old.`username`, old.`role`, old.`permission`, old.`disabled`, old.`ends_at`)
	IS NOT (new.`id`, new.`username`, new.`role`, new.`permission`, new.`disabled`, new.`ends_at`) BEGIN
	INSERT INTO `account_list` (`id`, `version`) VALUES (1, lower(hex(randomblob(16))))
	ON CONFLICT (`id`) DO UPDATE SET `version` = excluded.`version`;
END;
