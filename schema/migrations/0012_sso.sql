CREATE TABLE `identities` (
	`issuer` text NOT NULL,
	`subject` text NOT NULL,
	`user_id` integer NOT NULL,
	`platform` text NOT NULL,
	`name` text NOT NULL,
	`linked_at` integer NOT NULL,
	`linked_by` text NOT NULL,
	`last_used_at` integer,
	PRIMARY KEY(`issuer`, `subject`),
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `identities_user` ON `identities` (`user_id`);
