ALTER TABLE `reserved_names` ADD `of_folder` integer DEFAULT false NOT NULL;--> statement-breakpoint
-- The folder of a name (`/home/{username}`) stays when its account is renamed or deleted, so nobody else chooses that
-- name. Users who were never approved had no folder.
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
		OR (old.`waiting` = 0 AND instr(old.`base_path` || '/', '/' || old.`username` || '/') > 0)
	);
	DELETE FROM `reserved_names` WHERE `username_key` = new.`username_key` AND `user_id` = new.`id`;
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
		OR (old.`waiting` = 0 AND instr(old.`base_path` || '/', '/' || old.`username` || '/') > 0);
END;
