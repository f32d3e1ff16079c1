import { describe, expect, test } from 'vitest'
import { chinese } from '../../src/core/base/chinese.ts'

describe('a Chinese text', () => {
  test.each([
    ['Latchkey', '为 Latchkey 设置新密码'],
    ['家庭文件', '为家庭文件设置新密码'],
    ['“家”', '为 “家” 设置新密码'],
    ['Anna 的文件', '为 Anna 的文件设置新密码'],
    ['文件 2', '为文件 2 设置新密码'],
    ['《家》', '为《家》设置新密码'],
    ['𠮷野', '为𠮷野设置新密码'],
    ['', '为  设置新密码'],
  ])('with “%s” has spaces beside Latin words only', (site, text) => {
    expect(chinese`为 ${site} 设置新密码`).toBe(text)
  })

  test('has one space less beside each value, and no other', () => {
    expect(chinese`${'小明'} 在 ${'家'} 的账户 ${'bob'}：SSH 密钥`).toBe(
      '小明在家的账户 bob：SSH 密钥',
    )
  })
})
