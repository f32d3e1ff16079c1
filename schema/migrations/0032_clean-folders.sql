-- Folders as the file server keeps them: a backslash is a slash, and neither empty segments nor `.` count. Chosen names are
-- compared with them. A name is not given up by it, so nothing is reserved meanwhile.
DROP TRIGGER `user_folder_change`;
--> statement-breakpoint
UPDATE `users` SET `base_path` = replace(`base_path`, '\', '/') WHERE instr(`base_path`, '\') > 0;
--> statement-breakpoint
UPDATE `users` SET `base_path` = coalesce(nullif(rtrim(replace(replace(replace(replace(replace(replace(`base_path` || '/',
	'//', '/'), '//', '/'), '//', '/'), '/./', '/'), '/./', '/'), '//', '/'), '/'), ''), '/')
WHERE `base_path` <> '/' AND (instr(`base_path`, '//') > 0 OR instr(`base_path` || '/', '/./') > 0 OR `base_path` LIKE '%/');
--> statement-breakpoint
CREATE TRIGGER `user_folder_change` AFTER UPDATE OF `base_path` ON `users`
WHEN new.`base_path` <> old.`base_path` AND old.`base_path` <> '/' AND old.`waiting` = 0 BEGIN
	INSERT OR IGNORE INTO `reserved_names` (`username_key`, `username`, `user_id`, `reserved_at`, `of_folder`)
	VALUES (old.`username_key`, old.`username`, old.`id`, unixepoch() * 1000, 1);
	INSERT OR IGNORE INTO `reserved_names` (`username_key`, `username`, `user_id`, `reserved_at`, `of_folder`)
	SELECT lower(`value`), `value`, old.`id`, unixepoch() * 1000, 1
	FROM json_each('[' || replace(json_quote(old.`base_path`), '/', '","') || ']') WHERE `value` <> '';
END;
