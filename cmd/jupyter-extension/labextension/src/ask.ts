import type { JupyterFrontEnd } from '@jupyterlab/application';
import { InputDialog } from '@jupyterlab/apputils';
import { line } from './entries.js';
import type { Room } from './room.js';

/** What a question is about. */
interface ISubject {
  /** The id of the cell. */
  cell: string;
  /** In words, for an output with its number and MIME type, and for a picture with the region. */
  what: string;
}

/** Asks an agent about the active cell: it is called by its name in a new cell below, as a person would call it. */
export async function askAboutCell(room: Room): Promise<void> {
  const cell = room.panel.content.activeCell;
  if (cell) {
    await ask(room, { cell: cell.model.id, what: 'this cell' });
  }
}

/** Asks an agent about the output under the context menu, of a picture about a region that the person draws. */
export async function askAboutOutput(room: Room, app: JupyterFrontEnd): Promise<void> {
  const output = app.contextMenuHitTest(node => node.classList.contains('jp-OutputArea-child'));
  const cell = room.panel.content.widgets.find(w => output && w.node.contains(output));
  if (!output || !cell) {
    return;
  }
  const number = [...(output.parentElement?.children ?? [])].indexOf(output);
  const type = output.querySelector<HTMLElement>('[data-mime-type]')?.dataset.mimeType ?? 'text/plain';
  const picture = output.querySelector<HTMLImageElement>('img');
  const region = picture ? await drawn(picture) : '';
  if (region === undefined) {
    return;
  }
  await ask(room, { cell: cell.model.id, what: `output ${number}, ${line(type)}${region}` });
}

async function ask(room: Room, subject: ISubject): Promise<void> {
  const name = room.agents[0]?.name ?? '';
  const { value, button } = await InputDialog.getText({
    title: `Ask About ${subject.what[0].toUpperCase()}${subject.what.slice(1)}`,
    label: 'The agent, and the question',
    text: `@${name.replace(/ \(AI\)$/, '')} `,
    selectionRange: 0,
    okLabel: 'Ask'
  });
  const question = line(value, 2000);
  if (button.accept && question) {
    room.insertBelow(subject.cell, `${question} ([${subject.what}](#cell-id=${subject.cell}))`);
  }
}

/** Lets the person draw a region of a picture, and returns it in the picture's pixels: '' for all of it, undefined after Escape. */
function drawn(picture: HTMLImageElement): Promise<string | undefined> {
  const box = picture.getBoundingClientRect();
  const pane = document.body.appendChild(document.createElement('div'));
  const frame = pane.appendChild(document.createElement('div'));
  pane.className = 'nbduet-region';
  pane.tabIndex = 0;
  pane.setAttribute('role', 'button');
  pane.setAttribute('aria-label', 'Draw a region of the picture, or press Enter for all of it');
  Object.assign(pane.style, { left: `${box.left}px`, top: `${box.top}px`, width: `${box.width}px`, height: `${box.height}px` });
  requestAnimationFrame(() => pane.focus()); // after the menu has given the focus back
  const within = (value: number, max: number) => Math.round(Math.min(Math.max(value, 0), max));
  let from: PointerEvent | undefined;
  const region = (to: PointerEvent) => {
    const [left, right] = [from!.clientX, to.clientX].map(x => within(x - box.left, box.width)).sort((a, b) => a - b);
    const [top, bottom] = [from!.clientY, to.clientY].map(y => within(y - box.top, box.height)).sort((a, b) => a - b);
    return { left, top, width: right - left, height: bottom - top };
  };
  return new Promise(resolve => {
    const end = (result: string | undefined) => {
      document.removeEventListener('keydown', key, true);
      pane.remove();
      resolve(result);
    };
    const key = (event: KeyboardEvent) => {
      if (event.key === 'Escape' || event.key === 'Enter') {
        event.preventDefault();
        event.stopPropagation();
        end(event.key === 'Enter' ? '' : undefined);
      }
    };
    document.addEventListener('keydown', key, true);
    pane.onpointerdown = event => {
      from = event;
      pane.setPointerCapture(event.pointerId);
    };
    pane.onpointermove = event => {
      if (from) {
        Object.entries(region(event)).forEach(([key, value]) => frame.style.setProperty(key, `${value}px`));
      }
    };
    pane.onpointerup = event => {
      const { left, top, width, height } = region(event);
      const scale = (picture.naturalWidth || box.width) / box.width;
      const [x, y, w, h] = [left, top, width, height].map(value => Math.round(value * scale));
      end(width > 3 && height > 3 ? `, region x=${x} y=${y} width=${w} height=${h}` : '');
    };
  });
}
