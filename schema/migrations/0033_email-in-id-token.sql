ALTER TABLE `openid_clients` ADD `email_in_id_token` integer DEFAULT false NOT NULL;--> statement-breakpoint
-- Programs from before read the address where they found it.
UPDATE `openid_clients` SET `email_in_id_token` = 1;
