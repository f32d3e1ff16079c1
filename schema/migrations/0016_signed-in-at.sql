ALTER TABLE `sessions` ADD `signed_in_at` integer;--> statement-breakpoint
-- The time of a provider stood in the methods: `sso@1763856000 otp`.
UPDATE `sessions` SET `signed_in_at` = CASE
	WHEN instr(`amr`, 'sso@') > 0 THEN CAST(substr(`amr`, instr(`amr`, '@') + 1) AS INTEGER) * 1000
	WHEN instr(`amr`, 'sso') = 0 THEN `created_at` END;
--> statement-breakpoint
UPDATE `sessions` SET `amr` = substr(`amr`, 1, instr(`amr`, '@') - 1) || substr(`amr`, instr(`amr`, '@') + instr(substr(`amr`, instr(`amr`, '@')) || ' ', ' ') - 1)
WHERE instr(`amr`, '@') > 0;
--> statement-breakpoint
UPDATE `openid_grants` SET `amr` = substr(`amr`, 1, instr(`amr`, '@') - 1) || substr(`amr`, instr(`amr`, '@') + instr(substr(`amr`, instr(`amr`, '@')) || ' ', ' ') - 1)
WHERE instr(`amr`, '@') > 0;
