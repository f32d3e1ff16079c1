-- Every row and every index entry that a sign-in writes counts towards what D1 allows a day.
CREATE TABLE `__new_throttle_counters` (
	`key` text PRIMARY KEY NOT NULL,
	`failures` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`charged_at` integer DEFAULT 0 NOT NULL,
	`parts` text DEFAULT '{}' NOT NULL
) WITHOUT ROWID;
--> statement-breakpoint
INSERT INTO `__new_throttle_counters` (`key`, `failures`, `expires_at`)
	SELECT `key`, `failures`, `expires_at` FROM `throttle_counters`
	WHERE `key` NOT LIKE 'pair/%' AND `key` NOT LIKE 'network/%';
--> statement-breakpoint
-- The counters of a network, and of its accounts, move into the row of the network (IPv6: of its /48).
INSERT INTO `__new_throttle_counters` (`key`, `failures`, `expires_at`, `parts`)
	SELECT 'site/' || `place`, total(`failures`) FILTER (WHERE `name` LIKE 'network/%'), max(`expires_at`),
		json_group_object(`name`, json_array(`failures`, `expires_at`, 0))
	FROM (
		SELECT *, CASE WHEN `network` LIKE '%::/64'
			THEN `groups` ->> 0 || ':' || (`groups` ->> 1) || ':' || (`groups` ->> 2) || '::/48'
			ELSE `network` END AS `place`
		FROM (
			SELECT *, CASE WHEN `network` LIKE '%::/64' THEN '["' || replace(replace(`network`, '::/64', ''), ':', '","') || '"]' END AS `groups`
			FROM (
				SELECT substr(`key`, 9) AS `network`, `key` AS `name`, `failures`, `expires_at`
				FROM `throttle_counters` WHERE `key` LIKE 'network/%'
				UNION ALL
				SELECT substr(`key`, 29), `key`, `failures`, `expires_at`
				FROM `throttle_counters` WHERE `key` LIKE 'pair/%'
			)
		)
	)
	GROUP BY `place`;
--> statement-breakpoint
DROP TABLE `throttle_counters`;
--> statement-breakpoint
ALTER TABLE `__new_throttle_counters` RENAME TO `throttle_counters`;
--> statement-breakpoint
CREATE TABLE `__new_sessions` (
	`id` text NOT NULL,
	`user_id` integer NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`network` text NOT NULL,
	`user_agent` text NOT NULL,
	PRIMARY KEY(`user_id`, `id`),
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
) WITHOUT ROWID;
--> statement-breakpoint
INSERT INTO `__new_sessions` (`id`, `user_id`, `created_at`, `expires_at`, `network`, `user_agent`)
	SELECT `id`, `user_id`, `created_at`, `expires_at`, `network`, `user_agent` FROM `sessions`;
--> statement-breakpoint
DROP TABLE `sessions`;
--> statement-breakpoint
ALTER TABLE `__new_sessions` RENAME TO `sessions`;
--> statement-breakpoint
CREATE TABLE `__new_audit_events` (
	`id` integer PRIMARY KEY NOT NULL,
	`at` integer NOT NULL,
	`kind` text NOT NULL,
	`user_id` integer,
	`name_hash` text,
	`detail` text DEFAULT '' NOT NULL,
	`network` text NOT NULL,
	`user_agent` text NOT NULL,
	`times` integer DEFAULT 1 NOT NULL
);
--> statement-breakpoint
INSERT INTO `__new_audit_events` (`id`, `at`, `kind`, `user_id`, `name_hash`, `detail`, `network`, `user_agent`)
	SELECT `id`, `at`, `kind`, `user_id`, `name_hash`, `detail`, `network`, `user_agent` FROM `audit_events`;
--> statement-breakpoint
DROP TABLE `audit_events`;
--> statement-breakpoint
ALTER TABLE `__new_audit_events` RENAME TO `audit_events`;
--> statement-breakpoint
CREATE INDEX `audit_events_user` ON `audit_events` (`user_id`,`id`) WHERE "audit_events"."user_id" is not null;
--> statement-breakpoint
CREATE INDEX `audit_events_sign_ins` ON `audit_events` (`user_id`,`network`,`at`) WHERE "audit_events"."kind" in ('sign_in', 'service_sign_in');
--> statement-breakpoint
-- The session for which a code was used up; a session begins only with its own name there.
ALTER TABLE `users` ADD `totp_session` text;
--> statement-breakpoint
CREATE TABLE `__new_recovery_codes` (
	`user_id` integer NOT NULL,
	`code_hash` text NOT NULL,
	`used_by` text,
	PRIMARY KEY(`user_id`, `code_hash`),
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
) WITHOUT ROWID;
--> statement-breakpoint
INSERT INTO `__new_recovery_codes` (`user_id`, `code_hash`) SELECT `user_id`, `code_hash` FROM `recovery_codes`;
--> statement-breakpoint
DROP TABLE `recovery_codes`;
--> statement-breakpoint
ALTER TABLE `__new_recovery_codes` RENAME TO `recovery_codes`;
