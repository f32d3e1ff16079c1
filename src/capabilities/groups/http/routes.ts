import { Hono } from 'hono'
import type { App } from '../../../web/http/context.ts'

/** `/api/admin/group`. */
export const groupRoutes = new Hono<App>()
