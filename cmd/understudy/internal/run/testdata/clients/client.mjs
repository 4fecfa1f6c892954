// A client for the tests of the trial, with the mistake that MISTAKE names: it creates a session, has its person use the token, waits for
// a request by its id, and cancels another one.
import http from 'node:http'

const { UNDERSTUDY_URL: url, UNDERSTUDY_KEY: key, MISTAKE: mistake } = process.env

class Refusal extends Error {
  constructor(status, after) {
    super(`status ${status}`)
    Object.assign(this, { status, after })
  }
}

const wait = (seconds) => new Promise((resolve) => setTimeout(resolve, 1000 * seconds))

// The seconds for which an answer asks to wait, null when it does not say.
function retryAfter({ 'retry-after': after = null, date }) {
  if (after === null || /^\d+$/.test(after)) return after && Number(after)
  return (Date.parse(after) - Date.parse(date)) / 1000
}

// Sends a request, and gives the answer with its text: a part of it when the connection breaks.
function exchange(method, path, body, headers) {
  return new Promise((resolve, reject) => {
    const request = http.request(url + path, { method, signal: AbortSignal.timeout(5000), headers: { authorization: `Bearer ${key}`, ...headers } })
    request.on('error', reject).on('response', (response) => {
      response.text = ''
      response.setEncoding('utf8').on('data', (part) => (response.text += part))
      response.on('error', () => {}).on('close', () => resolve(response))
    })
    request.end(body)
  })
}

async function send(method, path, version, body) {
  const headers = { accept: `application/json; version=${version}`, 'content-type': 'application/json' }
  const { statusCode: status, complete, text, headers: answered } = await exchange(method, path, body && JSON.stringify(body), headers)
  if (!complete && mistake === 'half a body is taken for a whole') return {}
  if (!complete) throw new Error('the answer did not arrive whole')
  if (status <= 201) return { ...JSON.parse(text), world: answered['understudy-world'] }
  if (mistake === 'every answer is JSON') JSON.parse(text)
  throw new Refusal(status, retryAfter(answered))
}

// The seconds after which a request may be sent again, null when it may not.
function mayRetry(error) {
  if (mistake === 'every answer is JSON' && error instanceof SyntaxError) return null
  if (!(error instanceof Refusal)) return mistake === 'no retry of a lost answer' ? null : 0
  if (error.status === 429) return mistake === 'Retry-After is ignored' ? 0 : error.after > 3 ? null : (error.after ?? 0)
  return error.status >= 500 && error.status !== 501 ? (error.after ?? 0) : null
}

async function read(id) {
  for (let left = 2; ; left--) {
    try {
      return await send('GET', `/verification-requests/${id}`, '2019-10-15')
    } catch (error) {
      const after = mayRetry(error)
      if (after === null || left === 0) throw error
      await wait(after)
    }
  }
}

async function createSession() {
  const target = { first_name: 'Ada', last_name: 'Example', date_of_birth: '1985-04-12', social_security_number: '000-00-0000' }
  const asked = { permissible_purpose: 'credit-application', type: 'employment-income', use_case: 'mortgage', target }
  const { id, token, world } = await send('POST', '/credentials/session', '2022-08-01', asked)
  if (!token) throw new Error('the session has no token')
  if (mistake !== 'the token is thrown away') {
    await exchange('POST', `/_understudy/flow?world=${world}&outcome=success&token=${token}`) // as the person's browser
  }
  const { state } = JSON.parse((await exchange('GET', `/_understudy/v1/credentials-sessions/${id}`)).text)
  if (state !== 'completed') throw new Error(`the session's request is ${state}`)
}

async function awaitEnd(id) {
  for (let n = 0; n < 5; n++) {
    const { state, reports } = await read(id)
    if (!state) throw new Error('the request has no state')
    if (state === 'completed') return reports.length
    if (state === 'canceled' || state === 'invalid') return 0
    await wait(0.01)
  }
  throw new Error(`${id} has not ended in time`)
}

async function cancel(id) {
  for (let n = 0; n < 2; n++) {
    try {
      const { state } = await send('PUT', `/verification-requests/${id}/cancel`, '2022-08-01', { cancellation_reason: 'immediate' })
      if (state === 'canceled') return
      if (mistake === 'half a body is taken for a whole') throw new Error('it is not canceled')
    } catch (error) {
      if (mistake === 'half a body is taken for a whole' && !(error instanceof Refusal)) throw error
      const after = mayRetry(error)
      if (error.status === 429 && after === null) throw error
      await wait(after ?? 0)
    }
    if ((await read(id)).state === 'canceled') return
  }
  throw new Error('it is not canceled')
}

try {
  await createSession()
  await awaitEnd('vr_frequency_weekly')
  await cancel('vr_processing')
} catch (error) {
  console.error(error.message)
  process.exit(1)
}
