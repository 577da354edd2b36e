import type { JupyterFrontEnd } from '@jupyterlab/application';
import type { ICommandPalette } from '@jupyterlab/apputils';
import { askAboutCell, askAboutOutput } from './ask.js';
import { type Mark, WHOLE, markIn } from './entries.js';
import type { Follower } from './follow.js';
import type { Room } from './room.js';
import { goOn, lock, stop } from './steer.js';

/** A command on the current notebook. */
interface IRow {
  id: string;
  label: string;
  run: (room: Room) => void | Promise<void>;
  visible?: (room: Room) => boolean;
  toggled?: (room: Room) => boolean;
  /** It is for a context menu only. */
  menu?: boolean;
}

const shared = (room: Room) => room.panel.content.activeCell?.model.sharedModel;
const activeCell = (room: Room): string => shared(room)?.getId() ?? '';

function rows(app: JupyterFrontEnd, follower: Follower): IRow[] {
  const mark = (id: string, label: string, name: Mark): IRow => {
    const toggled = (room: Room) => !!markIn(shared(room)?.getMetadata('nbduet'), name);
    return { id, label, run: room => room.setMark(shared(room), name, !toggled(room)), toggled };
  };
  return [
    { id: 'nbduet:stop', label: 'Stop the Agents in This Notebook', run: stop, visible: room => room.occupied || !!room.stopped },
    { id: 'nbduet:go-on', label: 'Let the Agents Go On', run: goOn, visible: room => !!room.stopped },
    { id: 'nbduet:lock', label: 'Keep Agents Out of This Notebook', run: room => lock(room, WHOLE), toggled: room => room.on(WHOLE).length > 0 },
    { id: 'nbduet:lock-cell', label: 'Keep Agents Out of This Cell', run: room => lock(room, activeCell(room)), toggled: room => room.on(activeCell(room)).length > 0 },
    mark('nbduet:lock-cell-in-file', 'Keep Agents Out of This Cell, in the File', 'hands_off'),
    mark('nbduet:ask-to-run', 'Agents Run This Cell Only With Permission', 'ask_to_run'),
    { id: 'nbduet:ask-cell', label: 'Ask the Agent About This Cell', run: askAboutCell, visible: room => room.agents.length > 0 },
    { id: 'nbduet:ask-output', label: 'Ask the Agent About This Output', run: room => askAboutOutput(room, app), visible: room => room.agents.length > 0, menu: true },
    {
      id: 'nbduet:follow',
      label: 'Follow the Agent',
      run: room => follower.follow(room.agents.some(a => follower.follows(a)) ? undefined : room, room.agents[0]),
      visible: room => room.agents.length > 0,
      toggled: room => room.agents.some(a => follower.follows(a))
    }
  ];
}

/** Adds the commands on the current notebook's room, and their entries in the palette. */
export function addCommands(app: JupyterFrontEnd, palette: ICommandPalette | null, follower: Follower, current: () => Room | null): void {
  for (const { id, label, run, visible, toggled, menu } of rows(app, follower)) {
    const ask = (question: ((room: Room) => boolean) | undefined, otherwise: boolean) => () => {
      const room = current();
      return !!room && (question ? question(room) : otherwise);
    };
    app.commands.addCommand(id, {
      label,
      execute: () => {
        const room = current();
        return room && run(room);
      },
      isEnabled: ask(visible, true),
      isVisible: ask(visible, true),
      isToggled: ask(toggled, false),
      isToggleable: !!toggled
    });
    if (!menu) {
      palette?.addItem({ command: id, category: 'Notebook Agents' });
    }
  }
}
