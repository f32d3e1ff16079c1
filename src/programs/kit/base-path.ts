import type { Text } from './help.ts'

/** Says what `--base-path` of a new account is. */
export const BASE_PATH_TEXT: Text = [
  'the root folder; {username} becomes the name (default: /homes/{username} with a file server, else /, which is everything)',
  '根文件夹；{username} 会换成账户名（默认：有文件服务器时为 /homes/{username}，否则为 /，即全部文件）',
]
