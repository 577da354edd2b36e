/*
 * What others write into a room, checked: any client of the room can write there. An entry that is malformed is ignored,
 * and named once in the console.
 */

/** Begins the keys of holds in the room's state; the cell's id, a colon and the username follow. */
export const PREFIX = 'nbduet:hands_off:';

/** In place of a cell's id, the whole notebook. */
export const WHOLE = '*';

/** A person in the room. */
export interface IPerson {
  name: string;
  username: string;
}

/** An agent in the room. */
export interface IAgent extends IPerson {
  /** A data URL, or ''. */
  picture: string;
  /** What it does, in a few words, or ''. */
  doing: string;
  /** The id of the cell in which it works, or ''. */
  cell: string;
  /** Since when, by its own clock. */
  since?: Date;
}

/** A hold, which keeps agents from a cell or the notebook. */
export interface IHold extends IPerson {
  key: string;
  cell: string;
  since: Date;
  /** It also cancels runs. */
  stop: boolean;
  /** Why nbduet itself holds a notebook that may be broken, or ''. */
  suspect: string;
}

/** The metadata of a cell that keep agents from it, in the cell's "nbduet". */
export type Mark = 'hands_off' | 'ask_to_run';

const named = new Set<string>();

function ignore(what: string): undefined {
  if (!named.has(what) && named.size < 100) {
    named.add(what);
    console.warn(`nbduet: ignored a malformed ${what} in the room`);
  }
  return undefined;
}

/** Whether a value is an object. */
export function present(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A text for one line: no control or formatting characters, and not too long. */
export function line(value: unknown, max = 60): string {
  const text = typeof value === 'string' ? value.slice(0, 4 * max) : '';
  const chars = [...text.replace(/[\p{C}\p{Z}\s]+/gu, ' ').trim()];
  return chars.length > max ? chars.slice(0, max - 1).join('') + '…' : chars.join('');
}

function time(value: unknown): Date | undefined {
  const date = typeof value === 'string' || typeof value === 'number' ? new Date(value) : undefined;
  return date && !isNaN(date.getTime()) ? date : undefined;
}

function userIn(user: unknown): IPerson | undefined {
  if (!present(user) || typeof user.username !== 'string' || user.username === '') {
    return undefined;
  }
  const { username } = user;
  return { username, name: line(user.display_name) || line(user.name) || line(username) };
}

/** The person of an awareness state, undefined for agents and clients without a user. */
export function personIn(state: unknown): IPerson | undefined {
  return present(state) && state.agent === undefined ? userIn(state.user) : undefined;
}

/** The agent of an awareness state; without a name if no client works with it; undefined for all others. */
export function agentIn(state: unknown): IAgent | undefined {
  if (!present(state) || state.agent !== 'nbduet') {
    return undefined;
  }
  const user = present(state.user) ? state.user : {};
  const status = present(state.status) ? state.status : {};
  if (state.status !== undefined && !present(state.status)) {
    ignore('status of an agent');
  }
  const picture = typeof user.avatar_url === 'string' ? user.avatar_url : '';
  return {
    ...(userIn(user) ?? { name: '', username: '' }),
    picture: /^data:image\/[a-z+]+[,;]/.test(picture) && picture.length < 10_000 ? picture : '',
    doing: line(status.text),
    cell: typeof status.cell === 'string' ? status.cell : '',
    since: time(status.since)
  };
}

/** The hold of an entry of the room's state, undefined for other entries. */
export function holdIn(key: string, value: unknown): IHold | undefined {
  if (!key.startsWith(PREFIX) || value === null) {
    return undefined;
  }
  const entry = present(value) ? value : {};
  const by = typeof entry.username === 'string' ? entry.username : '';
  const since = time(entry.since);
  const cell = key.slice(PREFIX.length, -by.length - 1);
  if (by === '' || !since || cell === '' || !key.endsWith(`:${by}`)) {
    return ignore('hold');
  }
  const name = line(entry.name) || line(by);
  return { key, cell, name, username: by, since, stop: entry.stop === true && cell === WHOLE, suspect: line(entry.suspect, 200) };
}

/** The mark in the metadata "nbduet" of a cell, undefined if it has none. */
export function markIn(ours: unknown, mark: Mark): unknown {
  const value = present(ours) ? ours[mark] : undefined;
  return value === true || present(value) ? value : undefined;
}
