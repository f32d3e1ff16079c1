import { beforeEach, describe, expect, test } from 'vitest'
import { isReasonCode, KEY_PARTS, REASONS } from '../../src/core/base/reasons.ts'
import { Refusal } from '../../src/core/base/refusals.ts'
import { problemOf } from '../../src/web/kit/form.ts'
import { en } from '../../src/app/texts.en.ts'
import { zh } from '../../src/app/texts.zh.ts'
import { ED1 } from '../reference/keys.ts'
import { rfc4716 } from '../ssh-keys/key-texts.ts'
import { CheapSite } from '../support/cheap-site.ts'
import { foreignWords } from '../support/foreign-words.ts'
import { problemAt, Visitor } from '../support/visitor.ts'

/** Words of the protocols, which have no translation. */
const NAMES = ['files.example.org', 'true', 'code', 'state', 'error', 'error_description', 'iss']

const VALUES = {
  type: 'ssh-rsa',
  curve: 'nistp256',
  options: 'true',
  expected: 'string',
  words: 'Invalid.',
}

describe('a reason', () => {
  test.each(Object.entries(REASONS))('is told in Chinese: %s', (name, words) => {
    const code = isReasonCode(name) ? name : 'other'
    for (const part of words.includes('<part>') ? KEY_PARTS : ['']) {
      const numbers = {
        min: 1,
        max: 2,
        bits: 3,
        bytes: 4,
        factor: 5,
        exponent: 6,
        days: 7,
        line: 8,
        column: 9,
      }
      const told = { code, values: { ...VALUES, ...numbers, part } }
      const refusal = code.startsWith('key')
        ? new Refusal('keyInvalid', { reason: told })
        : new Refusal('invalidBody', { reason: told, field: 'title' })
      const { message } = problemOf(zh, refusal)
      expect(message).toMatch(/\p{Script=Han}/u)
      expect(foreignWords(message, NAMES)).toEqual([])
      expect(problemOf(en, refusal).message).toMatch(/^[A-Z][^<>]*\.$/)
    }
  })
})

describe('a refused key', () => {
  let visitor: Visitor

  beforeEach(async () => {
    const site = new CheapSite()
    await site.addUser('alice', { password: 'alice-Passw0rd' })
    visitor = new Visitor(site, { 'Accept-Language': 'zh-CN' })
    await visitor.signIn('alice', 'alice-Passw0rd')
  })

  test.each([
    [
      'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAAA',
      '这个公钥被拒绝：数据不完整，公钥被截断，请复制整行。',
    ],
    ['ssh-rsa AAAA', '这个公钥被拒绝：数据不完整，缺少类型，请复制整行。'],
    [`ssh-rsa ${ED1.split(' ')[1]}`, '这个公钥被拒绝：开头写的是 ssh-rsa，数据却属于另一种类型。'],
    [rfc4716(Buffer.of(1)).replace('END', 'ENDE'), '首行或末行有误'],
    ['-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----', 'PEM 数据中没有公钥'],
    ['hello', '必须以类型开头'],
    ['', '此项必填。'],
    ['\0', '不能包含空字符（NUL）。'],
  ])('is explained in Chinese: %j', async (key, problem) => {
    const { status, html } = await visitor.post('/account/keys/add', { title: 'laptop', key })
    expect(status).toBe(400)
    expect(problemAt(html, 'key')).toContain(problem)
  })
})
