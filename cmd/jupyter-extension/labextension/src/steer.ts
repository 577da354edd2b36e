import { Notification } from '@jupyterlab/apputils';
import { WHOLE, type IHold } from './entries.js';
import type { Room } from './room.js';

/** Stops the agents in a notebook. If they are stopped already, it interrupts the kernel. */
export function stop(room: Room): void {
  if (room.stopped) {
    void room.panel.sessionContext.session?.kernel?.interrupt();
  } else {
    room.hold(WHOLE, true);
  }
}

/** Lets stopped agents go on. */
export function goOn(room: Room): void {
  lift(room, room.holds.filter(h => h.stop));
}

/** Keeps agents out of a cell, or with WHOLE out of the notebook; if they are kept out already, it lets them in. */
export function lock(room: Room, cell: string): void {
  const held = room.on(cell);
  held.length > 0 ? lift(room, held) : room.hold(cell);
}

function lift(room: Room, holds: IHold[]): void {
  const rest = room.lift(holds);
  if (rest.length > 0) {
    const who = rest.map(h => h.name).join(', ');
    Notification.warning(`Agents are still kept out by ${who}, who can let them in.`, { autoClose: 5000 });
  }
}
