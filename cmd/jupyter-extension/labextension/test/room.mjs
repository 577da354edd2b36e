// Tests of what the extension reads from a room and writes into it, with the shared notebook of JupyterLab.
import { YNotebook } from '@jupyter/ydoc';
import { Signal } from '@lumino/signaling';
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { PREFIX, WHOLE, agentIn, holdIn, line, markIn, personIn } from '../lib/entries.js';
import { keptOut } from '../lib/marks.js';
import { Room } from '../lib/room.js';

const at = '2026-11-29T10:00:00.123456789Z';

test('a line has no control or formatting characters, and an end', () => {
  assert.equal(line(' A\u202e\n\tB\u200b '), 'A B');
  assert.equal(line('x'.repeat(1000)).length, 60);
  assert.equal(line({}), '');
  assert.equal(line('\ud83d'), '');
});

test('the agents and people of awareness states', () => {
  const user = { username: 'nbduet-1-1', name: 'Claude (AI)', display_name: 'Claude' };
  assert.deepEqual(agentIn({ agent: 'nbduet', user, status: { text: 'running cell 4', cell: 'c', since: 5 } }), {
    name: 'Claude', username: 'nbduet-1-1', picture: '', doing: 'running cell 4', cell: 'c', since: new Date(5)
  });
  assert.equal(agentIn({ agent: 'nbduet' }).name, '');
  assert.equal(agentIn({ agent: 'nbduet', user: { ...user, avatar_url: 'https://e.example/x.png' } }).picture, '');
  assert.equal(agentIn({ agent: 'nbduet', user: { ...user, avatar_url: 'data:image/svg+xml,x' } }).picture, 'data:image/svg+xml,x');
  assert.equal(agentIn({ agent: 'nbduet', user: 7, status: [1] }).doing, '');
  assert.equal(agentIn({ user }), undefined);
  assert.deepEqual(personIn({ user: { username: 'ada', name: 'Ada' } }), { name: 'Ada', username: 'ada' });
  for (const state of [null, 7, {}, { user: {} }, { user: { username: 3 } }, { agent: 'nbduet', user }]) {
    assert.equal(personIn(state), undefined);
  }
});

test('holds are read, and malformed ones are ignored and named once', t => {
  const warn = t.mock.method(console, 'warn', () => {});
  const hold = holdIn(`${PREFIX}${WHOLE}:a:da`, { username: 'a:da', name: 'Ada', since: at, stop: true });
  assert.equal(hold.cell, WHOLE);
  assert.equal(hold.name, 'Ada');
  assert.equal(hold.stop, true);
  assert.equal(holdIn(`${PREFIX}c:ada`, { username: 'ada', since: at, stop: true }).stop, false, 'only the notebook is stopped');
  assert.equal(holdIn(`${PREFIX}*:ada`, { username: 'ada', since: at, stop: 'yes' }).stop, false);
  for (const [key, value] of [['*:x', true], ['*:x', { username: 'y', since: at }], ['*:x', { username: 'x', since: 'soon' }], [':x', { username: 'x', since: at }], ['*:', { since: at }]]) {
    assert.equal(holdIn(PREFIX + key, value), undefined, key);
  }
  assert.equal(holdIn('dirty', true), undefined);
  assert.equal(holdIn(`${PREFIX}*:gone`, null), undefined);
  assert.equal(warn.mock.callCount(), 1);
});

const models = [];
after(() => models.forEach(model => model.dispose())); // their timers

async function room(username = 'ada', others = []) {
  const model = new YNotebook();
  models.push(model);
  model.addCell({ cell_type: 'code', id: 'c1', source: 'a = 1' });
  model.awareness.setLocalStateField('user', { username, name: username });
  others.forEach((state, i) => model.awareness.states.set(1000 + i, state));
  const panel = { disposed: new Signal({}), context: { ready: Promise.resolve(), model: { sharedModel: model } } };
  const made = new Room(panel);
  await Promise.resolve();
  return { model, room: made };
}

test('a hold is written as the program reads it, and lifted', async () => {
  const { model, room: r } = await room();
  r.hold(WHOLE, true);
  const entry = model.ystate.get(`${PREFIX}*:ada`);
  assert.deepEqual({ ...entry, since: '' }, { name: 'ada', username: 'ada', since: '', stop: true });
  assert.match(entry.since, /^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
  assert.equal(r.stopped.name, 'ada');
  r.hold('c1');
  assert.deepEqual(r.on('c1').map(h => h.name), ['ada']);
  assert.match(keptOut(model.cells[0], r.on('c1')), /^ada keeps agents out since/);
  assert.deepEqual(r.lift(r.holds), []);
  assert.equal(model.ystate.size, 0);
  assert.equal(r.stopped, undefined);
});

test('holds of others are lifted only when they have left', async () => {
  const { model, room: r } = await room('bob', [{ user: { username: 'eve', name: 'Eve' } }]);
  const key = who => `${PREFIX}*:${who}`;
  model.ystate.set(key('eve'), { username: 'eve', name: 'Eve', since: at });
  model.ystate.set(key('ada'), { username: 'ada', name: 'Ada', since: at });
  assert.deepEqual(r.lift(r.holds).map(h => h.name), ['Eve', 'Ada'], 'a new tab does not know who is there');
  r._since -= 60_000;
  assert.deepEqual(r.lift(r.holds).map(h => h.name), ['Eve']);
  model.ystate.set(key('ada'), { username: 'ada', name: 'Ada', since: at });
  model.ystate.set(key('bob'), { username: 'bob', name: 'Bob', since: at });
  assert.deepEqual(r.lift(r.holds).map(h => h.name).sort(), ['Ada', 'Eve'], 'own ones first');
});

test('marks in the metadata are set beside those of others, and removed whole', async () => {
  const { model, room: r } = await room();
  r.setMark(model.cells[0], 'hands_off', true);
  r.setMark(model.cells[0], 'ask_to_run', true);
  assert.deepEqual(Object.keys(model.cells[0].getMetadata('nbduet')).sort(), ['ask_to_run', 'hands_off']);
  assert.equal(keptOut(model.cells[0], []), 'ada keeps agents out, in the file');
  r.setMark(model.cells[0], 'hands_off', false);
  assert.equal(keptOut(model.cells[0], []), 'Agents run this cell only with permission');
  r.setMark(model.cells[0], 'ask_to_run', false);
  assert.equal(model.cells[0].getMetadata('nbduet'), undefined);
  model.cells[0].setMetadata('nbduet', 'odd');
  assert.equal(markIn(model.cells[0].getMetadata('nbduet'), 'hands_off'), undefined);
  assert.equal(markIn(undefined, 'hands_off'), undefined);
});

test('changes are told, and nothing after the end', async () => {
  const { model, room: r } = await room();
  let told = 0;
  r.changed.connect(() => told++);
  model.awareness.setLocalStateField('x', 1);
  r.hold('c1');
  assert.ok(told >= 2);
  r.dispose();
  told = 0;
  model.awareness.setLocalStateField('x', 2);
  assert.equal(told, 0);
});
