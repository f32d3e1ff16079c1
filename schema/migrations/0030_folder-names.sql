-- Nobody else chooses the name of an account that was renamed or deleted while it had a folder of its own, whatever that
-- folder is called: it may be `/homes/u-{username}`, or the name may have changed its case since. Nor that of one whose
-- folder is another one now.
DROP TRIGGER `openid_user_rename`;
--> statement-breakpoint
CREATE TRIGGER `openid_user_rename` AFTER UPDATE OF `username` ON `users` WHEN new.`username` <> old.`username` BEGIN
	UPDATE `users` SET `renamed_at` = unixepoch() * 1000 WHERE `id` = new.`id`;
	INSERT OR REPLACE INTO `reserved_names` (`username_key`, `username`, `user_id`, `reserved_at`, `of_folder`)
	SELECT old.`username_key`, old.`username`, old.`id`, unixepoch() * 1000,
		NOT EXISTS (SELECT 1 FROM `openid_clients`)
		AND NOT EXISTS (SELECT 1 FROM `reserved_names` WHERE `username_key` = old.`username_key` AND `of_folder` = 0)
	WHERE old.`username_key` <> new.`username_key` AND (
		EXISTS (SELECT 1 FROM `openid_clients`)
		OR EXISTS (SELECT 1 FROM `reserved_names` WHERE `username_key` = old.`username_key`)
		OR (old.`waiting` = 0 AND old.`base_path` <> '/')
	);
	DELETE FROM `reserved_names` WHERE old.`username_key` <> new.`username_key`
		AND `username_key` = new.`username_key` AND `user_id` = new.`id` AND `of_folder` = 0;
END;
--> statement-breakpoint
DROP TRIGGER `openid_user_delete`;
--> statement-breakpoint
CREATE TRIGGER `openid_user_delete` AFTER DELETE ON `users` BEGIN
	INSERT OR REPLACE INTO `reserved_names` (`username_key`, `username`, `user_id`, `reserved_at`, `of_folder`)
	SELECT old.`username_key`, old.`username`, old.`id`, unixepoch() * 1000,
		NOT EXISTS (SELECT 1 FROM `openid_clients`)
		AND NOT EXISTS (SELECT 1 FROM `reserved_names` WHERE `username_key` = old.`username_key` AND `of_folder` = 0)
	WHERE EXISTS (SELECT 1 FROM `openid_clients`)
		OR EXISTS (SELECT 1 FROM `reserved_names` WHERE `username_key` = old.`username_key`)
		OR (old.`waiting` = 0 AND old.`base_path` <> '/');
END;
--> statement-breakpoint
CREATE TRIGGER `user_folder_change` AFTER UPDATE OF `base_path` ON `users`
WHEN new.`base_path` <> old.`base_path` AND old.`base_path` <> '/' AND old.`waiting` = 0 BEGIN
	INSERT OR IGNORE INTO `reserved_names` (`username_key`, `username`, `user_id`, `reserved_at`, `of_folder`)
	VALUES (old.`username_key`, old.`username`, old.`id`, unixepoch() * 1000, 1);
END;
