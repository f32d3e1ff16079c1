CREATE INDEX `users_folder` ON `users` (lower("base_path" || '/')) WHERE "users"."base_path" <> '/';--> statement-breakpoint
-- The folder of an account may be called otherwise than the account. When it is deleted, or gets another folder, nobody
-- chooses a name that is a part of the folder's path.
CREATE TRIGGER `user_folder_left` AFTER DELETE ON `users` WHEN old.`base_path` <> '/' AND old.`waiting` = 0 BEGIN
	INSERT OR IGNORE INTO `reserved_names` (`username_key`, `username`, `user_id`, `reserved_at`, `of_folder`)
	SELECT lower(`value`), `value`, old.`id`, unixepoch() * 1000, 1
	FROM json_each('[' || replace(json_quote(old.`base_path`), '/', '","') || ']') WHERE `value` <> '';
END;
--> statement-breakpoint
DROP TRIGGER `user_folder_change`;
--> statement-breakpoint
CREATE TRIGGER `user_folder_change` AFTER UPDATE OF `base_path` ON `users`
WHEN new.`base_path` <> old.`base_path` AND old.`base_path` <> '/' AND old.`waiting` = 0 BEGIN
	INSERT OR IGNORE INTO `reserved_names` (`username_key`, `username`, `user_id`, `reserved_at`, `of_folder`)
	VALUES (old.`username_key`, old.`username`, old.`id`, unixepoch() * 1000, 1);
	INSERT OR IGNORE INTO `reserved_names` (`username_key`, `username`, `user_id`, `reserved_at`, `of_folder`)
	SELECT lower(`value`), `value`, old.`id`, unixepoch() * 1000, 1
	FROM json_each('[' || replace(json_quote(old.`base_path`), '/', '","') || ']') WHERE `value` <> '';
END;
