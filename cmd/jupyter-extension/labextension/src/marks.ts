import { WHOLE, type IHold, present, line } from './entries.js';
import type { Room } from './room.js';

/** Why agents keep out of a cell, or '' if they need not. */
export function keptOut(room: Room, cell: string, holds: IHold[]): string {
  const hold = holds.find(h => h.cell === WHOLE) ?? holds.find(h => h.cell === cell);
  if (hold) {
    return hold.suspect || `${hold.name} ${hold.stop ? 'stopped the agents' : 'keeps agents out'} since ${hold.since.toLocaleTimeString()}`;
  }
  const mark = room.mark(cell, 'hands_off');
  return mark ? `${by(mark)} keeps agents out, in the file` : room.mark(cell, 'ask_to_run') ? 'Agents run this cell only with permission' : '';
}

function by(mark: unknown): string {
  return (present(mark) && line(mark.name)) || 'A person';
}

/** Marks the cells of a notebook that agents keep out of. */
export function markCells(room: Room): void {
  const holds = room.holds.filter(h => h.cell !== WHOLE); // that on the notebook shows in its toolbar
  for (const cell of room.panel.content.widgets) {
    const why = keptOut(room, cell.model.id, holds);
    if (cell.node.getAttribute('aria-description') !== (why || null)) {
      cell.toggleClass('nbduet-kept-out', why !== '');
      why ? cell.node.setAttribute('aria-description', why) : cell.node.removeAttribute('aria-description');
    }
  }
}
