ALTER TABLE `openid_logouts` ADD `sub` text DEFAULT '' NOT NULL;
--> statement-breakpoint
ALTER TABLE `users` ADD `sub` text DEFAULT '' NOT NULL;
--> statement-breakpoint
UPDATE `users` SET `sub` = lower(hex(randomblob(16)));
--> statement-breakpoint
UPDATE `openid_logouts` SET `sub` = coalesce((SELECT `sub` FROM `users` WHERE `id` = `user_id`), '');
--> statement-breakpoint
CREATE UNIQUE INDEX `users_sub` ON `users` (`sub`);
--> statement-breakpoint
-- Every account gets its own, whichever statement makes it.
CREATE TRIGGER `openid_user_insert` AFTER INSERT ON `users` WHEN new.`sub` = '' BEGIN
	UPDATE `users` SET `sub` = lower(hex(randomblob(16))) WHERE `id` = new.`id`;
END;
--> statement-breakpoint
-- The sessions end while the account is there, so that the logouts tell whose they are.
CREATE TRIGGER `openid_user_sessions` BEFORE DELETE ON `users` BEGIN
	DELETE FROM `sessions` WHERE `user_id` = old.`id`;
END;
--> statement-breakpoint
CREATE TRIGGER `openid_logout_insert` AFTER INSERT ON `openid_logouts` BEGIN
	UPDATE `openid_logouts` SET `sub` = coalesce((SELECT `sub` FROM `users` WHERE `id` = new.`user_id`), '')
	WHERE `client_id` = new.`client_id` AND `session_id` = new.`session_id`;
END;
