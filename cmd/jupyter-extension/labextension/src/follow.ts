import { ISignal, Signal } from '@lumino/signaling';
import type { IAgent } from './entries.js';
import type { Room } from './room.js';

/** Scrolls a notebook to a cell, if it is there. */
export async function show(room: Room, cell: string): Promise<void> {
  const widget = room.panel.content.widgets[room.indexOf(cell)];
  if (widget) {
    await room.panel.content.scrollToCell(widget, 'center');
  }
}

/** What a person does who wants to look elsewhere. */
const OWN = ['wheel', 'touchmove', 'pointerdown', 'keydown'];

/** Scrolls one notebook to where one agent works, until the person does something there. */
export class Follower {
  /** Emitted when another agent, or none, is followed. */
  get changed(): ISignal<this, void> {
    return this._changed;
  }

  /** Whether an agent is followed. */
  follows(agent: IAgent): boolean {
    return !!this._room && !this._room.isDisposed && this._username === agent.username;
  }

  /** Follows an agent in a room; without a room, none. */
  follow(room: Room | undefined, agent: IAgent): void {
    const before = this._room;
    before?.changed.disconnect(this._move, this);
    OWN.forEach(type => before?.panel.content.node.removeEventListener(type, this._end, true));
    this._room = room;
    this._username = agent.username;
    this._cell = '';
    room?.changed.connect(this._move, this);
    OWN.forEach(type => room?.panel.content.node.addEventListener(type, this._end, { capture: true, passive: true }));
    this._changed.emit();
    this._move();
  }

  private _move(): void {
    const agent = this._room?.agents.find(a => a.username === this._username);
    if (this._room && agent && agent.cell && agent.cell !== this._cell) {
      this._cell = agent.cell;
      void show(this._room, agent.cell);
    }
  }

  private _end = (): void => this.follow(undefined, { username: '' } as IAgent);

  private _room?: Room;
  private _username = '';
  private _cell = '';
  private _changed = new Signal<this, void>(this);
}
