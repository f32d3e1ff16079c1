-- The actor of older events stood at the end of the detail: `by 7`, or `all, by 7`.
UPDATE `audit_events` SET
	`actor_id` = CAST(substr(`detail`, instr(`detail`, 'by ') + 3) AS INTEGER),
	`detail` = rtrim(substr(`detail`, 1, instr(`detail`, 'by ') - 1), ', ')
WHERE `actor_id` IS NULL
	AND `kind` IN ('user_made', 'user_changed', 'user_deleted', 'user_unlocked', 'two_factor_off', 'session_ended')
	AND (`detail` GLOB 'by [0-9]*' OR `detail` GLOB '*, by [0-9]*');
