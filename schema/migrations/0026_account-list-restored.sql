-- A trigger that inserts the row makes it while a backup's rows are inserted, whose own row then has no place.
DROP TRIGGER `account_list_insert`;
--> statement-breakpoint
DROP TRIGGER `account_list_delete`;
--> statement-breakpoint
DROP TRIGGER `account_list_update`;
--> statement-breakpoint
INSERT INTO `account_list` (`id`, `version`) VALUES (1, lower(hex(randomblob(16)))) ON CONFLICT (`id`) DO NOTHING;
--> statement-breakpoint
CREATE TRIGGER `account_list_insert` AFTER INSERT ON `users` BEGIN
	UPDATE `account_list` SET `version` = lower(hex(randomblob(16)));
END;
--> statement-breakpoint
CREATE TRIGGER `account_list_delete` AFTER DELETE ON `users` BEGIN
	UPDATE `account_list` SET `version` = lower(hex(randomblob(16)));
END;
--> statement-breakpoint
CREATE TRIGGER `account_list_update` AFTER UPDATE OF `id`, `username`, `role`, `permission`, `disabled`, `ends_at` ON `users`
WHEN (old.`id`, old.`username`, old.`role`, old.`permission`, old.`disabled`, old.`ends_at`)
	IS NOT (new.`id`, new.`username`, new.`role`, new.`permission`, new.`disabled`, new.`ends_at`) BEGIN
	UPDATE `account_list` SET `version` = lower(hex(randomblob(16)));
END;
