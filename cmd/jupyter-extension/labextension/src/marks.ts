import type { ISharedCell } from '@jupyter/ydoc';
import { type IHold, line, markIn, present } from './entries.js';
import type { Room } from './room.js';

/** Why agents keep out of a cell, or '' if they need not. */
export function keptOut(cell: ISharedCell, holds: IHold[]): string {
  const hold = holds.find(h => h.cell === cell.getId());
  if (hold) {
    return heldBy(hold);
  }
  const ours = cell.getMetadata('nbduet');
  const mark = markIn(ours, 'hands_off');
  if (mark) {
    return `${(present(mark) && line(mark.name)) || 'A person'} keeps agents out, in the file`;
  }
  return markIn(ours, 'ask_to_run') ? 'Agents run this cell only with permission' : '';
}

/** Who holds a cell or the notebook, and since when. */
export function heldBy(hold: IHold): string {
  return hold.suspect || `${hold.name} keeps agents out since ${hold.since.toLocaleTimeString()}`;
}

/** Marks the cells of a notebook that agents keep out of. */
export function markCells(room: Room): void {
  const holds = room.holds;
  for (const cell of room.panel.content.widgets) {
    const why = keptOut(cell.model.sharedModel, holds);
    if (cell.node.getAttribute('aria-description') !== (why || null)) {
      cell.toggleClass('nbduet-kept-out', why !== '');
      why ? cell.node.setAttribute('aria-description', why) : cell.node.removeAttribute('aria-description');
    }
  }
}
