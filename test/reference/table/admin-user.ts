import { guestDisabled, notAdmin, success, userNotFound, usernameRequired } from '../outcomes.ts'
import { post, withToken } from '../requests.ts'
import type { Row } from '../row.ts'

const PATH = '/api/admin/user/del_cache'

export const delCacheRows: Row[] = [
  {
    recording: 'admin-user/del_cache ?username=',
    given: 'admin signed in',
    request: post(`${PATH}?username=`, undefined, withToken),
    reference: { code: 500, message: 'username is empty' },
    expect: usernameRequired,
    because: 'ownText',
  },
  {
    recording: 'admin-user/del_cache ?username=nobody',
    given: 'admin signed in',
    request: post(`${PATH}?username=nobody`, undefined, withToken),
    reference: { code: 500, message: 'failed find user: record not found' },
    expect: userNotFound,
    because: 'accident',
  },
  {
    recording: 'admin-user/del_cache ?username=guest',
    given: 'admin signed in',
    request: post(`${PATH}?username=guest`, undefined, withToken),
    reference: success,
  },
  {
    recording: 'admin-user/del_cache ?username=alice',
    given: 'admin signed in, and there is alice',
    request: post(`${PATH}?username=alice`, undefined, withToken),
    reference: success,
  },
  {
    recording: 'admin-user/del_cache by general user',
    given: 'alice signed in',
    request: post(`${PATH}?username=admin`, undefined, withToken),
    reference: notAdmin,
  },
  {
    recording: 'admin-user/del_cache no token',
    given: 'admin and a disabled guest',
    request: post(PATH),
    reference: guestDisabled,
  },
]
