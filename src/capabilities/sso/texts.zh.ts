import type { ssoEn } from './texts.en.ts'
import { chinese } from '../../core/base/chinese.ts'

export const ssoZh: typeof ssoEn = {
  sso: {
    submit: (provider) => chinese`使用 ${provider} 登录`,
    factorTitle: '还差一步',
    factorLead: (name, provider) =>
      chinese`${provider} 已确认你的身份。请再用验证码或通行密钥确认你是 ${name}。`,
    linkTitle: '关联账户',
    linkLead: (account, provider) => chinese`本站没有用户关联 ${provider} 账户“${account}”。`,
    linkHint: '如果你在本站有账户，请登录一次，两个账户就会关联，之后用任何一个都能登录。',
    linkSubmit: '登录并关联',
    doneTitle: '你已登录',
    doneLead: '此窗口会自动关闭。',
    boundTitle: '账户已确认',
    noOpener: '此窗口已找不到打开它的页面。请关闭窗口并重新开始。如果仍然不行，请联系管理员。',
    failedTitle: '登录未成功',
    title: '关联的账户',
    lead: '关联其他平台的账户后，无需本站密码即可登录。',
    none: '没有关联的账户。',
    link: (provider) => chinese`关联你的 ${provider} 账户`,
    linkAnother: (provider) => chinese`再关联一个 ${provider} 账户`,
    linkQuestion: '你将前往登录平台，在那里登录后返回本站。',
    linkContinue: '前往登录平台',
    unlink: '取消关联',
    unlinkQuestion: (account) =>
      `要取消关联“${account}”吗？之后不能再用它登录，用它登录的设备也会退出。`,
    unlinkSubmit: '取消关联账户',
    unnamed: '没有名称的账户',
    linkedBy: {
      user: (when) => `${when}由你关联`,
      registration: (when) => `${when}创建本账户时关联`,
      import: (when) => `${when}从其他服务器迁移时关联`,
    },
    linkedByOwner: (when) => `${when}由用户关联`,
    lastWayIn: '这是唯一的登录方式：该用户没有密码，也没有通行密钥，在你设置密码之前无法再登录。',
    subject: '在登录平台的 ID',
    redirectUris: '回调地址',
    redirectUrisLead: '请在登录平台上登记这些地址，必须一字不差。',
    check: '检查',
    checkLead: '用已保存的设置查询登录平台：是否有响应，是否接受客户端 ID 和客户端密钥。',
    checkSubmit: '测试连接',
    checkGood: (host) => `登录平台有响应，并接受客户端 ID 和客户端密钥。用户将前往 ${host}。`,
    checkUnsure: (host) =>
      `登录平台有响应，用户将前往 ${host}。无法判断它是否接受客户端 ID 和客户端密钥。`,
    checkProblems: {
      'no answer': '登录平台没有响应。请检查地址后重试。',
      answer: '登录平台的 OpenID 响应与此地址不符。请检查地址后重试。',
      client: '登录平台不接受客户端 ID 或客户端密钥。请从登录平台重新复制两者。',
    },
  },
}
