import { html } from 'hono/html'
import { writtenAnswer } from './answers.ts'
import { examplesOf } from './examples.ts'
import { jsonSchema } from './json-schema.ts'
import type { Example, Operation } from './operation.ts'
import { operationGroups } from './operations.ts'
import { readRoutes, type Route } from './routes.ts'

/** Builds the page `/docs`: the document for people to read, without scripts. */
export async function buildPage(): Promise<string> {
  const routes = readRoutes()
  const sections = Object.entries(operationGroups)
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>Latchkey: the interface</title>
        <link rel="icon" href="/logo.svg" />
        <link rel="stylesheet" href="/docs.css" />
      </head>
      <body>
        <header>
          <h1><img src="/logo.svg" alt="" width="40" height="40" /> Latchkey: the interface</h1>
          <p>
            Every answer under <code>/api</code> is HTTP 200 with
            <code>{"code", "message", "data"}</code>. <code>code</code> is the outcome, and
            <code>data</code> is null unless <code>code</code> is 200. <code>/api/sftp</code> is for
            servers: there, <code>code</code> is the HTTP status too. Request bodies are JSON of at
            most 64 KiB. Send the token of a sign-in in <code>Authorization</code>, bare or after
            <code>Bearer</code>.
          </p>
          <p>For programs: <a href="/openapi.json">openapi.json</a> (OpenAPI 3.1).</p>
        </header>
        <nav aria-label="Endpoints">
          ${sections.map(
            ([title, operations]) =>
              html`<h2>${title}</h2>
                <ul>
                  ${Object.entries(operations).map(
                    ([name, { summary }]) =>
                      html`<li>
                        <a href="#${anchorOf(name)}"><code>${name}</code></a> ${summary}
                      </li>`,
                  )}
                </ul>`,
          )}
        </nav>
        <main>
          ${sections.map(
            ([title, operations]) =>
              html`<h2>${title}</h2>
                ${Object.entries(operations).map(([name, operation]) =>
                  articleOf(name, operation, routes.get(name) ?? { isGuarded: false, inputs: [] }),
                )}`,
          )}
        </main>
      </body>
    </html>`
  return `${String(await page)}\n`
}

function articleOf(name: string, operation: Operation, route: Route) {
  const fields = route.inputs.flatMap(({ target, schema }) => {
    const { properties = {}, required = [] } = jsonSchema(schema)
    return Object.entries(properties).map(([field, property]) =>
      fieldRow(field, target === 'json' ? 'body' : 'query', required.includes(field), property),
    )
  })
  return html`<article id="${anchorOf(name)}">
    <h3><code>${name}</code></h3>
    <p><strong>${operation.summary}.</strong> ${operation.description}</p>
    <p>Needs ${needOf(operation, route)}.</p>
    ${
      fields.length > 0 &&
      html`<table>
        <thead>
          <tr>
            <th>Field</th>
            <th>In</th>
            <th>Description</th>
          </tr>
        </thead>
        <tbody>
          ${fields}
        </tbody>
      </table>`
    }
    <details>
      <summary>Answers: ${codesOf(name, operation, route).join(', ')}</summary>
      ${Object.entries(examplesOf(operation, route)).map(([title, example]) =>
        exampleOf(name, operation, title, example),
      )}
    </details>
  </article>`
}

function fieldRow(field: string, where: string, isRequired: boolean, property: unknown) {
  return html`<tr>
    <td><code>${field}</code></td>
    <td>${where}</td>
    <td>${isRequired ? '' : 'optional; '}${inWords(property)}</td>
  </tr>`
}

function exampleOf(name: string, operation: Operation, title: string, example: Example) {
  const [method = '', path = ''] = name.split(' ')
  const query = example.query ? `?${String(new URLSearchParams(example.query))}` : ''
  const request = `${method} ${path}${query}`
  const body = example.body ? `\n${JSON.stringify(example.body)}` : ''
  const { status, body: answer } = writtenAnswer(path, operation, example)
  const text = typeof answer === 'string' ? answer : JSON.stringify(answer)
  return html`<h4>${title}${example.given === undefined ? '' : `: ${example.given}`}</h4>
    <pre tabindex="0">
${request}${body}

${status === 200 ? '' : `HTTP ${status}\n`}${text}</pre>`
}

function codesOf(name: string, operation: Operation, route: Route): number[] {
  const codes = Object.values(examplesOf(operation, route)).map((example) => {
    const { status, body } = writtenAnswer(name.split(' ')[1] ?? '', operation, example)
    const isEnvelope = typeof body === 'object' && body !== null && 'code' in body
    return isEnvelope ? Number(body.code) : status
  })
  return Array.from(new Set(codes)).toSorted((a, b) => a - b)
}

function needOf({ guest, security }: Operation, { isGuarded }: Route): string {
  if (security === 'serviceToken') return 'a service token'
  if (!isGuarded)
    return security === 'token'
      ? 'nothing; it ends the session of the token that is sent'
      : 'nothing'
  if (guest === 'notAdmin') return 'the token of an admin'
  return guest === undefined ? 'a token, or an enabled guest' : 'a token'
}

/** Describes a schema by its type, pattern and description. */
function inWords(schema: unknown): string {
  if (typeof schema !== 'object' || schema === null) return ''
  if ('anyOf' in schema && Array.isArray(schema.anyOf))
    return schema.anyOf.map(inWords).join(' or ')
  const type = 'type' in schema ? String(schema.type) : ''
  const pattern = 'pattern' in schema ? `matches ${String(schema.pattern)}` : ''
  const description = 'description' in schema ? String(schema.description) : ''
  return [type, pattern, description].filter(Boolean).join('; ')
}

function anchorOf(name: string): string {
  return name.toLowerCase().split(/\W+/).join('-')
}
