import { encode } from 'fast-png'

/** With one file, `in.txt`, which says “in the archive”. */
export const ZIP = Buffer.from(
  'UEsDBBQAAAAAAAAAeF0SRc00DgAAAA4AAAAGAAAAaW4udHh0aW4gdGhlIGFyY2hpdmVQSwECFAMUAAAAAAAAAHhdEkXNNA4AAAAOAAAABgAAAAAAAAAAAAAAgAEAAAAAaW4udHh0UEsFBgAAAAABAAEANAAAADIAAAAAAA==',
  'base64',
)

/** An archive with `secret.txt` and `in.txt` in a folder of the name `..\\closed`. */
export const ZIP_OUT = Buffer.from(
  'UEsDBBQAAAAAAAAAIVASRc00DgAAAA4AAAAUAAAALi5cY2xvc2VkL3NlY3JldC50eHRpbiB0aGUgYXJjaGl2ZVBLAwQUAAAAAAAAACFQEkXNNA4AAAAOAAAAEAAAAC4uXGNsb3NlZC9pbi50eHRpbiB0aGUgYXJjaGl2ZVBLAQIUAxQAAAAAAAAAIVASRc00DgAAAA4AAAAUAAAAAAAAAAAAAACAAQAAAAAuLlxjbG9zZWQvc2VjcmV0LnR4dFBLAQIUAxQAAAAAAAAAIVASRc00DgAAAA4AAAAQAAAAAAAAAAAAAACAAUAAAAAuLlxjbG9zZWQvaW4udHh0UEsFBgAAAAACAAIAgAAAAHwAAAAAAA==',
  'base64',
)

/** 40 pixels wide. */
export const PNG = encode({ width: 40, height: 30, data: new Uint8Array(3600), channels: 3 })

/** With one page. */
export const PDF = `%PDF-1.4
1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj
2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj
3 0 obj<</Type/Page/MediaBox[0 0 200 100]/Parent 2 0 R/Resources<<>>>>endobj
trailer<</Root 1 0 R>>`

/** A script for a browser: films a canvas 64 pixels wide, and returns the bytes of the WebM. */
export const FILM = `new Promise((resolve) => {
  const canvas = Object.assign(document.createElement('canvas'), { width: 64, height: 48 })
  const recorder = new MediaRecorder(canvas.captureStream(25), { mimeType: 'video/webm' })
  recorder.ondataavailable = async ({ data }) =>
    resolve([...new Uint8Array(await data.arrayBuffer())])
  recorder.start()
  let frames = 0
  const timer = setInterval(() => {
    const pen = canvas.getContext('2d')
    pen.fillStyle = frames % 2 ? 'red' : 'blue'
    pen.fillRect(0, 0, 64, 48)
    frames += 1
    if (frames < 12) return
    clearInterval(timer)
    recorder.stop()
  }, 40)
})`
