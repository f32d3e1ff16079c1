DROP INDEX `users_folder`;--> statement-breakpoint
ALTER TABLE `users` ADD `base_path_key` text;--> statement-breakpoint
CREATE INDEX `users_folder` ON `users` (`base_path_key`) WHERE "users"."base_path" <> '/';--> statement-breakpoint
CREATE INDEX `reserved_names_user` ON `reserved_names` (`user_id`);--> statement-breakpoint
-- Folders are compared by a key that only the application can make of letters beyond ASCII (`folderKey`). It makes the
-- keys that are missing after this (`keyFolders`), and nobody can choose a name before.
-- First, folders as the file server keeps them, also those that migration 0032 left. No name is given up by it, so
-- nothing is reserved meanwhile.
DROP TRIGGER `user_folder_change`;
--> statement-breakpoint
UPDATE `users` SET `base_path` = replace(`base_path`, '\', '/') WHERE instr(`base_path`, '\') > 0;
--> statement-breakpoint
UPDATE `users` SET `base_path` = '/' || coalesce((
	SELECT group_concat(`value`, '/' ORDER BY `key`)
	FROM json_each('[' || replace(json_quote(`base_path`), '/', '","') || ']') WHERE `value` NOT IN ('', '.')
), '')
WHERE `base_path` NOT LIKE '/%' OR instr(`base_path`, '//') > 0 OR instr(`base_path` || '/', '/./') > 0
	OR (`base_path` <> '/' AND `base_path` LIKE '%/');
--> statement-breakpoint
UPDATE `users` SET `base_path_key` = lower(`base_path`) || iif(`base_path` = '/', '', '/')
WHERE `base_path` NOT GLOB '*[^ -~]*';
--> statement-breakpoint
-- The key of a name with `ẞ` or `℀` is another one now. An account keeps the old one where another has the new one.
UPDATE OR IGNORE `users` SET `username_key` = replace(replace(`username_key`, 'ß', 'ss'), '/', '⁄')
WHERE instr(`username_key`, 'ß') > 0 OR instr(`username_key`, '/') > 0;
--> statement-breakpoint
UPDATE OR IGNORE `reserved_names` SET `username_key` = replace(replace(`username_key`, 'ß', 'ss'), '/', '⁄')
WHERE instr(`username_key`, 'ß') > 0 OR instr(`username_key`, '/') > 0;
--> statement-breakpoint
-- Names of folders had a key that folds ASCII only. A slash marks a key that has to be made.
UPDATE `reserved_names` SET `username_key` = '/' || `username_key` WHERE `of_folder` = 1 AND `username` GLOB '*[^ -~]*';
--> statement-breakpoint
CREATE TRIGGER `user_folder_change` AFTER UPDATE OF `base_path` ON `users`
WHEN new.`base_path` <> old.`base_path` AND old.`base_path` <> '/' AND old.`waiting` = 0 BEGIN
	INSERT OR IGNORE INTO `reserved_names` (`username_key`, `username`, `user_id`, `reserved_at`, `of_folder`)
	VALUES (old.`username_key`, old.`username`, old.`id`, unixepoch() * 1000, 1);
	INSERT OR IGNORE INTO `reserved_names` (`username_key`, `username`, `user_id`, `reserved_at`, `of_folder`)
	SELECT iif(old.`base_path_key` IS NULL, '/', '') || `value`, `value`, old.`id`, unixepoch() * 1000, 1
	FROM json_each('[' || replace(json_quote(coalesce(old.`base_path_key`, old.`base_path`)), '/', '","') || ']')
	WHERE `value` <> '';
END;
--> statement-breakpoint
DROP TRIGGER `user_folder_left`;
--> statement-breakpoint
CREATE TRIGGER `user_folder_left` AFTER DELETE ON `users` WHEN old.`base_path` <> '/' AND old.`waiting` = 0 BEGIN
	INSERT OR IGNORE INTO `reserved_names` (`username_key`, `username`, `user_id`, `reserved_at`, `of_folder`)
	SELECT iif(old.`base_path_key` IS NULL, '/', '') || `value`, `value`, old.`id`, unixepoch() * 1000, 1
	FROM json_each('[' || replace(json_quote(coalesce(old.`base_path_key`, old.`base_path`)), '/', '","') || ']')
	WHERE `value` <> '';
END;
--> statement-breakpoint
-- A statement that writes a folder without its key must not leave the key of the folder before.
CREATE TRIGGER `user_folder_key` AFTER UPDATE OF `base_path` ON `users`
WHEN new.`base_path` <> old.`base_path` AND new.`base_path_key` = old.`base_path_key` BEGIN
	UPDATE `users` SET `base_path_key` = iif(
		new.`base_path` NOT GLOB '*[^ -~]*', lower(new.`base_path`) || iif(new.`base_path` = '/', '', '/'), NULL
	) WHERE `id` = new.`id`;
END;
--> statement-breakpoint
-- An account that waits for an approval has no folder, and no program knows its name: nothing is kept of it.
DROP TRIGGER `openid_user_rename`;
--> statement-breakpoint
CREATE TRIGGER `openid_user_rename` AFTER UPDATE OF `username` ON `users` WHEN new.`username` <> old.`username` BEGIN
	UPDATE `users` SET `renamed_at` = unixepoch() * 1000 WHERE `id` = new.`id`;
	INSERT OR REPLACE INTO `reserved_names` (`username_key`, `username`, `user_id`, `reserved_at`, `of_folder`)
	SELECT old.`username_key`, old.`username`, old.`id`, unixepoch() * 1000,
		NOT EXISTS (SELECT 1 FROM `openid_clients`)
		AND NOT EXISTS (SELECT 1 FROM `reserved_names` WHERE `username_key` = old.`username_key` AND `of_folder` = 0)
	WHERE old.`username_key` <> new.`username_key` AND old.`waiting` = 0 AND (
		EXISTS (SELECT 1 FROM `openid_clients`)
		OR EXISTS (SELECT 1 FROM `reserved_names` WHERE `username_key` = old.`username_key`)
		OR old.`base_path` <> '/'
	);
	DELETE FROM `reserved_names` WHERE old.`username_key` <> new.`username_key`
		AND `username_key` = new.`username_key` AND `user_id` = new.`id` AND `of_folder` = 0;
END;
--> statement-breakpoint
DROP TRIGGER `openid_user_delete`;
--> statement-breakpoint
CREATE TRIGGER `openid_user_delete` AFTER DELETE ON `users` WHEN old.`waiting` = 0 BEGIN
	INSERT OR REPLACE INTO `reserved_names` (`username_key`, `username`, `user_id`, `reserved_at`, `of_folder`)
	SELECT old.`username_key`, old.`username`, old.`id`, unixepoch() * 1000,
		NOT EXISTS (SELECT 1 FROM `openid_clients`)
		AND NOT EXISTS (SELECT 1 FROM `reserved_names` WHERE `username_key` = old.`username_key` AND `of_folder` = 0)
	WHERE EXISTS (SELECT 1 FROM `openid_clients`)
		OR EXISTS (SELECT 1 FROM `reserved_names` WHERE `username_key` = old.`username_key`)
		OR old.`base_path` <> '/';
END;
