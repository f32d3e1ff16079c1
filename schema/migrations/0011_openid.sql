CREATE TABLE `openid_keys` (
	`id` text PRIMARY KEY NOT NULL,
	`sealed` text NOT NULL,
	`public_key` text NOT NULL,
	`active_from` integer NOT NULL
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `openid_clients` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`secret_hash` text,
	`redirect_uris` text NOT NULL,
	`post_logout_uris` text DEFAULT '[]' NOT NULL,
	`logout_uri` text DEFAULT '' NOT NULL,
	`first_party` integer DEFAULT false NOT NULL,
	`admins_only` integer DEFAULT false NOT NULL,
	`created_at` integer NOT NULL
) WITHOUT ROWID;
--> statement-breakpoint
CREATE UNIQUE INDEX `openid_clients_name` ON `openid_clients` (`name`);
--> statement-breakpoint
CREATE TABLE `openid_grants` (
	`id` text PRIMARY KEY NOT NULL,
	`issuer` text NOT NULL,
	`client_id` text NOT NULL,
	`user_id` integer NOT NULL,
	`session_id` text NOT NULL,
	`scope` text NOT NULL,
	`redirect_uri` text NOT NULL,
	`nonce` text,
	`challenge` text,
	`auth_time` integer NOT NULL,
	`amr` text NOT NULL,
	`code_hash` text NOT NULL,
	`code_expires_at` integer NOT NULL,
	`used` integer DEFAULT false NOT NULL,
	`created_at` integer NOT NULL,
	`access_hash` text,
	`access_expires_at` integer DEFAULT 0 NOT NULL,
	`family_hash` text,
	`refresh_hash` text,
	`refresh_expires_at` integer DEFAULT 0 NOT NULL,
	FOREIGN KEY (`client_id`) REFERENCES `openid_clients`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `openid_grants_session` ON `openid_grants` (`user_id`,`session_id`);
--> statement-breakpoint
CREATE INDEX `openid_grants_client` ON `openid_grants` (`client_id`);
--> statement-breakpoint
CREATE TABLE `openid_consents` (
	`user_id` integer NOT NULL,
	`client_id` text NOT NULL,
	`scope` text NOT NULL,
	`given_at` integer NOT NULL,
	PRIMARY KEY(`user_id`, `client_id`),
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`client_id`) REFERENCES `openid_clients`(`id`) ON UPDATE no action ON DELETE cascade
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `openid_logouts` (
	`client_id` text NOT NULL,
	`session_id` text NOT NULL,
	`user_id` integer NOT NULL,
	`issuer` text NOT NULL,
	`attempts` integer DEFAULT 0 NOT NULL,
	`tried_at` integer DEFAULT 0 NOT NULL,
	PRIMARY KEY(`client_id`, `session_id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `openid_logouts_due` ON `openid_logouts` (`tried_at`);
--> statement-breakpoint
CREATE TABLE `reserved_names` (
	`username_key` text PRIMARY KEY NOT NULL,
	`username` text NOT NULL,
	`user_id` integer NOT NULL,
	`reserved_at` integer NOT NULL
) WITHOUT ROWID;
--> statement-breakpoint
ALTER TABLE `users` ADD `renamed_at` integer DEFAULT 0 NOT NULL;
--> statement-breakpoint
-- The end of a session ends what programs got in it, whichever statement ends it. A refresh token stays.
CREATE TRIGGER `openid_session_end` AFTER DELETE ON `sessions` BEGIN
	DELETE FROM `openid_grants` WHERE `user_id` = old.`user_id` AND `session_id` = old.`id` AND `refresh_hash` IS NULL;
	UPDATE `openid_grants` SET `session_id` = '', `access_hash` = NULL WHERE `user_id` = old.`user_id` AND `session_id` = old.`id`;
END;
--> statement-breakpoint
-- Disabling, a new password and a lost admin role end refresh tokens as well.
CREATE TRIGGER `openid_user_change` AFTER UPDATE OF `disabled`, `password_changed_at`, `role` ON `users`
WHEN new.`disabled` <> old.`disabled` OR new.`password_changed_at` <> old.`password_changed_at` OR new.`role` <> old.`role` BEGIN
	DELETE FROM `openid_grants` WHERE `user_id` = new.`id` AND (
		new.`disabled` = 1 OR new.`password_changed_at` <> old.`password_changed_at`
		OR (new.`role` <> 2 AND `client_id` IN (SELECT `id` FROM `openid_clients` WHERE `admins_only` = 1))
	);
END;
--> statement-breakpoint
-- A client with a back-channel address learns of the end of a session in which it signed a user in.
CREATE TRIGGER `openid_grant_end` AFTER DELETE ON `openid_grants` WHEN old.`used` = 1 AND old.`session_id` <> '' BEGIN
	INSERT OR IGNORE INTO `openid_logouts` (`client_id`, `session_id`, `user_id`, `issuer`)
	SELECT `id`, old.`session_id`, old.`user_id`, old.`issuer` FROM `openid_clients` WHERE `id` = old.`client_id` AND `logout_uri` <> '';
END;
--> statement-breakpoint
CREATE TRIGGER `openid_grant_outlives` AFTER UPDATE OF `session_id` ON `openid_grants` WHEN old.`session_id` <> '' AND new.`session_id` = '' BEGIN
	INSERT OR IGNORE INTO `openid_logouts` (`client_id`, `session_id`, `user_id`, `issuer`)
	SELECT `id`, old.`session_id`, old.`user_id`, old.`issuer` FROM `openid_clients` WHERE `id` = old.`client_id` AND `logout_uri` <> '';
END;
--> statement-breakpoint
-- Clients know users by their names, so nobody else gets a name that an account had.
CREATE TRIGGER `openid_user_rename` AFTER UPDATE OF `username` ON `users` WHEN new.`username` <> old.`username` BEGIN
	UPDATE `users` SET `renamed_at` = unixepoch() * 1000 WHERE `id` = new.`id`;
	INSERT OR REPLACE INTO `reserved_names` (`username_key`, `username`, `user_id`, `reserved_at`)
	SELECT old.`username_key`, old.`username`, old.`id`, unixepoch() * 1000 FROM `openid_clients`
	WHERE old.`username_key` <> new.`username_key` LIMIT 1;
	DELETE FROM `reserved_names` WHERE `username_key` = new.`username_key` AND `user_id` = new.`id`;
END;
--> statement-breakpoint
CREATE TRIGGER `openid_user_delete` AFTER DELETE ON `users` BEGIN
	INSERT OR REPLACE INTO `reserved_names` (`username_key`, `username`, `user_id`, `reserved_at`)
	SELECT old.`username_key`, old.`username`, old.`id`, unixepoch() * 1000 FROM `openid_clients` LIMIT 1;
END;
