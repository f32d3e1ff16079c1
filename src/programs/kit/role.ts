import { ADMIN, GENERAL, GUEST } from '../../core/accounts/roles.ts'

/** The roles that `--role` takes. The guest is built in, and no other user gets that role. */
export const ROLES = { general: GENERAL, admin: ADMIN }

const NAMES = new Map(
  Object.entries({ ...ROLES, guest: GUEST }).map(([name, role]) => [role, name]),
)

export function roleName(role: number): string {
  return NAMES.get(role) ?? String(role)
}
