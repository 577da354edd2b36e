import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { ICommandPalette, IToolbarWidgetRegistry } from '@jupyterlab/apputils';
import type { Cell } from '@jupyterlab/cells';
import { INotebookTracker, type NotebookPanel } from '@jupyterlab/notebook';
import { IStatusBar } from '@jupyterlab/statusbar';
import { Widget } from '@lumino/widgets';
import { RoomButton } from './buttons.js';
import { addCommands } from './commands.js';
import { WHOLE } from './entries.js';
import { Follower } from './follow.js';
import { lockedIcon, openIcon, stopIcon } from './icons.js';
import { heldBy, markCells } from './marks.js';
import { Room } from './room.js';
import { Status } from './status.js';
import { goOn, lock, stop } from './steer.js';

const plugin: JupyterFrontEndPlugin<void> = {
  id: 'nbduet-jupyter:plugin',
  description: 'Shows the agents of nbduet in a notebook, stops them, and keeps them out of cells.',
  autoStart: true,
  requires: [INotebookTracker],
  optional: [IToolbarWidgetRegistry, IStatusBar, ICommandPalette],
  activate
};

export default plugin;

function activate(
  app: JupyterFrontEnd,
  notebooks: INotebookTracker,
  toolbars: IToolbarWidgetRegistry | null,
  statusBar: IStatusBar | null,
  palette: ICommandPalette | null
): void {
  const rooms = new WeakMap<NotebookPanel, Room>();
  const roomOf = (panel: NotebookPanel): Room => {
    let room = rooms.get(panel);
    if (!room) {
      room = new Room(panel);
      rooms.set(panel, room);
    }
    return room;
  };
  notebooks.widgetAdded.connect((_, panel) => roomOf(panel).changed.connect(markCells));

  toolbars?.addFactory<NotebookPanel>('Notebook', 'nbduet-stop', panel => {
    const room = roomOf(panel);
    return new RoomButton(room, () => {
      const by = room.stopped;
      return by || room.occupied
        ? {
            icon: stopIcon,
            label: by ? 'Stopped' : 'Stop',
            className: by ? 'nbduet-held' : '',
            tooltip: by ? `${by.name} stopped the agents at ${by.since.toLocaleTimeString()}: press again to interrupt the kernel` : 'Stop the agents in this notebook',
            onClick: () => stop(room)
          }
        : undefined;
    });
  });
  toolbars?.addFactory<NotebookPanel>('Notebook', 'nbduet-go-on', panel => {
    const room = roomOf(panel);
    return new RoomButton(room, () => (room.stopped ? { label: 'Go on', tooltip: 'Let the agents go on', onClick: () => goOn(room) } : undefined));
  });
  toolbars?.addFactory<NotebookPanel>('Notebook', 'nbduet-lock', panel => {
    const room = roomOf(panel);
    return new RoomButton(room, () => lockLook(room, WHOLE, room.occupied, 'notebook'));
  });
  toolbars?.addFactory<Cell>('Cell', 'nbduet-lock', cell => {
    const panel = notebooks.find(p => p.content.widgets.includes(cell));
    if (!panel) {
      return nothing(); // of a console, for one
    }
    const room = roomOf(panel);
    return new RoomButton(room, () => lockLook(room, cell.model.id, room.occupied, 'cell'));
  });

  const follower = new Follower();
  // Notebook 7 has no status bar.
  toolbars?.addFactory<NotebookPanel>('Notebook', 'nbduet-status', panel => {
    if (statusBar) {
      return nothing();
    }
    const item = new Status(follower);
    item.room = roomOf(panel);
    return item;
  });
  const status = new Status(follower);
  notebooks.currentChanged.connect((_, panel) => (status.room = panel ? roomOf(panel) : undefined));
  statusBar?.registerStatusItem('nbduet-jupyter:status', {
    item: status,
    align: 'left',
    rank: 50,
    isActive: () => status.active,
    activeStateChanged: status.activeStateChanged
  });
  addCommands(app, palette, follower, () => notebooks.currentWidget && roomOf(notebooks.currentWidget));

  function nothing(): Widget {
    const item = new Widget();
    item.hide();
    return item;
  }

  function lockLook(room: Room, cell: string, shown: boolean, what: string) {
    const held = room.on(cell);
    if (!shown && held.length === 0) {
      return undefined;
    }
    return {
      icon: held.length > 0 ? lockedIcon : openIcon,
      className: held.length > 0 ? 'nbduet-held' : '',
      tooltip: held.length > 0 ? `${heldBy(held[0])}: let agents in` : `Keep agents out of this ${what}`,
      onClick: () => lock(room, cell)
    };
  }
}
