// Values as they are exchanged with the differential tests: JSON, and objects with the key "$" for what JSON lacks.
import * as Y from 'yjs'

export const bytes = s => new Uint8Array(Buffer.from(s, 'base64'))
export const base64 = b => Buffer.from(b).toString('base64')

export function decode (v) {
  if (Array.isArray(v)) return v.map(decode)
  if (v === null || typeof v !== 'object') return v
  switch (v.$) {
    case undefined: return Object.fromEntries(Object.entries(v).map(([k, e]) => [k, decode(e)]))
    case 'undefined': return undefined
    case 'bigint': return BigInt(v.v)
    case 'bytes': return bytes(v.v)
    case 'float': return v.v === '-0' ? -0 : Number(v.v)
    case 'map': return new Y.Map(Object.entries(v.v).map(([k, e]) => [k, decode(e)]))
    case 'array': return Y.Array.from(v.v.map(element))
    case 'text': return new Y.Text(v.v)
  }
  throw new Error(`no such value: ${v.$}`)
}

// element is a value that Y.Array takes: neither undefined nor a bigint can be one by itself.
export function element (v) {
  const e = decode(v)
  return e === undefined || typeof e === 'bigint' ? [e] : e
}

export function encode (v) {
  if (v === undefined) return { $: 'undefined' }
  if (typeof v === 'bigint') return { $: 'bigint', v: String(v) }
  if (typeof v === 'number') return Number.isFinite(v) ? v : { $: 'float', v: String(v) }
  if (v instanceof Uint8Array) return { $: 'bytes', v: base64(v) }
  if (v instanceof Y.Doc) return { $: 'doc', v: v.guid }
  if (v instanceof Y.AbstractType) return encode(v.toJSON())
  if (Array.isArray(v)) return v.map(encode)
  if (v !== null && typeof v === 'object') return Object.fromEntries(Object.entries(v).map(([k, e]) => [k, encode(e)]))
  return v
}

export const mod = (n, m) => m > 0 ? n % m : 0

// at is the UTF-16 offset of the code point with index n, modulo those that there are and the end.
export function at (s, n) {
  const points = Array.from(s)
  return points.slice(0, mod(n, points.length + 1)).join('').length
}
