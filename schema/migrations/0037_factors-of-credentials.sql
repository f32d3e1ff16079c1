ALTER TABLE `app_passwords` ADD `amr` text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE `ssh_keys` ADD `amr` text DEFAULT '' NOT NULL;--> statement-breakpoint
-- What is known of older rows. The rest counts as made with a password alone; its owner can keep it.
-- The command line has made it: the event of that moment says so.
UPDATE `app_passwords` SET `amr` = 'operator' WHERE EXISTS (
	SELECT 1 FROM `audit_events` WHERE `audit_events`.`user_id` = `app_passwords`.`user_id` AND `kind` = 'token_created'
	AND `at` = `created_at` AND `detail` = `name` AND `network` = 'command line'
);
--> statement-breakpoint
UPDATE `ssh_keys` SET `amr` = 'operator' WHERE EXISTS (
	SELECT 1 FROM `audit_events` WHERE `audit_events`.`user_id` = `ssh_keys`.`user_id` AND `kind` = 'key_added'
	AND `at` = `added_at` AND `detail` = `title` AND `network` = 'command line'
);
--> statement-breakpoint
-- Times since which every session that could make something has shown a second factor: two-step verification is on, and turning it
-- on ended the other sessions; or the site demands a factor of this user.
CREATE TABLE `factor_times` AS
SELECT `users`.`id` AS `user_id`, (
	SELECT max(`at`) FROM `audit_events` WHERE `audit_events`.`user_id` = `users`.`id` AND `kind` = 'two_factor_on'
) AS `since`, 'otp' AS `amr`
FROM `users` WHERE `totp_seed` IS NOT NULL;
--> statement-breakpoint
DELETE FROM `factor_times` WHERE `since` IS NULL OR EXISTS (
	SELECT 1 FROM `audit_events` WHERE `audit_events`.`user_id` = `factor_times`.`user_id` AND `at` >= `since`
	AND `kind` IN ('two_factor_off', 'two_factor_cancelled', 'password_reset_by_link')
);
--> statement-breakpoint
INSERT INTO `factor_times`
SELECT `users`.`id`, max(`changes`.`since`, coalesce((
	SELECT max(`at`) FROM `audit_events` WHERE `audit_events`.`user_id` = `users`.`id` AND `kind` = 'role_changed'
), 0)), 'mfa'
FROM `users`
JOIN `settings` ON `settings`.`key` = 'require_second_factor'
JOIN (
	SELECT max(`at`) AS `since` FROM `audit_events` WHERE `kind` = 'settings_changed'
	AND instr(', ' || `detail` || ',', ', require_second_factor,') > 0
) AS `changes` ON `changes`.`since` IS NOT NULL
WHERE `settings`.`value` = 'everybody' OR (`settings`.`value` = 'admins' AND `users`.`role` = 2);
--> statement-breakpoint
UPDATE `app_passwords` SET `amr` = (
	SELECT `amr` FROM `factor_times` WHERE `factor_times`.`user_id` = `app_passwords`.`user_id` AND `since` < `created_at`
) WHERE `amr` = '' AND EXISTS (
	SELECT 1 FROM `factor_times` WHERE `factor_times`.`user_id` = `app_passwords`.`user_id` AND `since` < `created_at`
);
--> statement-breakpoint
-- An app password made before that time may have added a key: then nothing is known of the key.
UPDATE `ssh_keys` SET `amr` = (
	SELECT `amr` FROM `factor_times` WHERE `factor_times`.`user_id` = `ssh_keys`.`user_id` AND `since` < `added_at`
) WHERE `amr` = '' AND EXISTS (
	SELECT 1 FROM `factor_times` WHERE `factor_times`.`user_id` = `ssh_keys`.`user_id` AND `since` < `added_at`
) AND NOT EXISTS (
	SELECT 1 FROM `app_passwords` WHERE `app_passwords`.`user_id` = `ssh_keys`.`user_id` AND `created_at` <= `added_at`
	AND `amr` = '' AND instr(`scopes`, 'account:write') > 0
) AND NOT EXISTS (
	SELECT 1 FROM `audit_events` WHERE `audit_events`.`user_id` = `ssh_keys`.`user_id`
	AND ((`kind` = 'token_deleted' AND `at` >= `added_at`) OR (`kind` = 'token_created' AND `at` <= `added_at` AND NOT EXISTS (
		SELECT 1 FROM `app_passwords` WHERE `app_passwords`.`user_id` = `ssh_keys`.`user_id` AND `name` = `audit_events`.`detail`
		AND `created_at` = `audit_events`.`at`
	)))
);
--> statement-breakpoint
DROP TABLE `factor_times`;
