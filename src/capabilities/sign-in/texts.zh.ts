import type { signInEn } from './texts.en.ts'
import { chinese } from '../../core/base/chinese.ts'

export const signInZh: typeof signInEn = {
  signIn: {
    title: '登录',
    lead: (host) => `使用你在 ${host} 的账户登录。`,
    leadToFiles: (host) => `使用你在 ${host} 的账户登录，打开文件。`,
    or: '或',
    paused: '暂时无法登录',
    pausedFor: '失败次数过多，请在 #重试。',
    lost: '忘记密码或丢失手机？',
    lostPassword: (site) => chinese`${site} 的管理员可以为你设置新密码，但谁也看不到旧密码。`,
    lostPhone: '手机不在身边时，可用一个恢复代码代替验证码。',
    username: '用户名',
    password: '密码',
    submit: '登录',
    codeTitle: '双重验证',
    codeLead: (name) => `${name}，还差一步。`,
    code: '验证码',
    codeHint: '身份验证器应用显示的六位数字。手机丢了？请输入一个恢复代码。',
    letIn: (site) => chinese`${site} 的管理员可以立即让你登录。等待结束后，此页会转到登录页。`,
    lostPhoneSubmit: '登录并设置新手机',
    waitingTitle: '你的账户正在等待批准',
    waitingLead: (site) => chinese`${site} 的管理员会处理。批准后即可登录。`,
    noCode: '验证码有问题？',
    codeLate:
      '应用每 30 秒显示一个新的验证码，每个只能使用一次。如果总是被拒绝，请让手机自动设置时间。',
    lostCodes: (site) => chinese`手机和恢复代码都没有时，请让 ${site} 的管理员关闭双重验证。`,
    codeSubmit: '验证',
    startOver: '换一个账户登录',
    asGuest: '不登录，继续浏览',
    continue: '继续前往账户页面',
    passkey: '使用通行密钥登录',
    to: (site) => chinese`登录 ${site}`,
  },
}
