import { basename } from 'node:path'
import * as v from 'valibot'
import { COMMAND_LINE } from '../../core/access/operators.ts'
import { of } from '../../core/access/subject.ts'
import { KeyError } from '../../core/crypto/wire.ts'
import { addKey, listKeys, removeKeys } from './keys.ts'
import { parsePublicKey } from './openssh.ts'
import { keyRecords } from './record.ts'
import { titleSchema } from './title.ts'
import { CommandError, explained, UsageError } from '../../programs/kit/command-error.ts'
import { takes } from '../../programs/kit/declaration.ts'
import { parseId } from '../../programs/kit/paging.ts'
import { parsed } from '../../programs/kit/parsed.ts'
import { latchkey, userWord } from '../../programs/kit/printed-command.ts'
import { readSmallFile } from '../../programs/kit/small-file.ts'
import { readAll } from '../../programs/kit/standard-input.ts'
import { USER } from '../../programs/site/find-user.ts'
import type { OfUser } from '../../programs/site/in-programs.ts'
import { onSite } from '../../programs/site/on-site.ts'

const COLUMNS = ['id', 'title', 'fingerprint', 'added_time', 'last_used_time']

const list = onSite({
  about: 'lists the keys of a user',
  zh: '列出用户的公钥',
  takes: { user: USER },
  examples: ['key list alice'],
  async run(site, { user }, { output }) {
    const { keys, total } = await listKeys(site, of(COMMAND_LINE, user.id))
    const page = { content: keyRecords(keys), total }
    output.list(COLUMNS, page, `${user.username} has no SSH keys.`)
  },
})

const add = onSite({
  about: 'adds a key to a user',
  zh: '为用户添加公钥',
  takes: {
    user: USER,
    file: takes(
      '<file>',
      'a file with a public key; - reads the standard input',
      '公钥文件；- 表示标准输入',
    ),
    title: takes(
      '--title <title>',
      'the name of the key in lists',
      '公钥的标题',
      parsed(titleSchema),
    ),
  },
  notes: [
    `The file holds one key: a .pub file of ssh-keygen, or a public key of PuTTYgen or in PEM. Without --title,
the title is the comment of the key, or else the name of the file.`,
    `文件中只有一个公钥：ssh-keygen 的 .pub 文件、PuTTYgen 的公钥或 PEM 格式的公钥。
不带 --title 时，标题是公钥的注释；没有注释时是文件名。`,
  ],
  examples: [
    'key add alice ~/.ssh/id_ed25519.pub --title laptop',
    'key add alice - < ~/.ssh/id_ed25519.pub',
  ],
  async before({ file, title }) {
    const text = file === '-' ? await readAll(process.stdin) : readSmallFile(file)
    return { text, title: title ?? titleOf(text, file) }
  },
  async run(site, { user: { id, username } }, { output }, { text, title }) {
    const { fingerprint } = await addKey(site, of(COMMAND_LINE, id), title, text)
    const done = `Added ${JSON.stringify(title)} to ${username}: ${fingerprint}`
    output.done(done, { username, title, fingerprint })
  },
})

/**
 * @throws {CommandError} With the reason, for a text that is no public key.
 * @throws {UsageError} When neither the comment nor the name of the file can be a title.
 */
function titleOf(text: string, file: string): string {
  const candidates = [commentOf(text), file === '-' ? '' : basename(file)]
  const title = candidates.find((candidate) => v.is(titleSchema, candidate))
  if (title !== undefined) return title
  throw new UsageError('The key has no comment that could be its title: give one with --title.')
}

function commentOf(text: string): string {
  try {
    return parsePublicKey(text).comment
  } catch (error) {
    if (!(error instanceof KeyError)) throw error
    throw new CommandError(`provided key invalid: ${error.message}`)
  }
}

const remove = onSite({
  about: 'deletes a key of a user; new connections with it are refused',
  zh: '删除用户的公钥，此后不能再用它建立新连接',
  takes: {
    user: USER,
    keyId: takes(
      '<id>',
      'the id of the key, as key list shows it',
      '公钥的 id（见 key list）',
      parseId,
    ),
  },
  examples: ['key delete alice 7'],
  async run(site, { user, keyId }, { output }) {
    const { id, username } = user
    await explained(removeKeys(site, of(COMMAND_LINE, id), keyId), {
      keyNotFound: `${username} has no key ${keyId}, see: ${latchkey('key', 'list', userWord(user))}`,
    })
    output.done(`Deleted key ${keyId} of ${username}.`, { id: keyId, username })
  },
})

/** `latchkey key …`: the SSH keys of users. */
export const keyCommands = { list, add, delete: remove }

/** The SSH keys of a user, for the commands of the group `user`. */
export const ofUser: OfUser = {
  shown: async (site, { id }) => ({ keys: (await listKeys(site, of(COMMAND_LINE, id))).total }),
}
