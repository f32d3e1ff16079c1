DROP INDEX `openid_grants_client`;
--> statement-breakpoint
-- The programs of one user are read and removed without the rows of all other users, at the same price of a row.
CREATE INDEX `openid_grants_client` ON `openid_grants` (`client_id`,`user_id`,`created_at`);
--> statement-breakpoint
-- A first sign-in through a provider looks for the users that claim its account. Most users claim none.
CREATE INDEX `users_sso_id` ON `users` (`sso_id`) WHERE "users"."sso_id" <> '';
