-- The filters of the operators' lists of users and of events find their rows by an index.
CREATE INDEX `audit_events_rare` ON `audit_events` (`kind`,`id`) WHERE "audit_events"."kind" not in ('sign_in', 'sign_in_refused', 'service_sign_in', 'session_ended', 'key_used');
--> statement-breakpoint
CREATE INDEX `users_disabled` ON `users` (`id`) WHERE "users"."disabled" = 1;
--> statement-breakpoint
CREATE INDEX `users_without_two_factor` ON `users` (`id`) WHERE "users"."totp_seed" is null and "users"."role" <> 1;
