import type { ISharedCell, YNotebook } from '@jupyter/ydoc';
import type { NotebookPanel } from '@jupyterlab/notebook';
import type { IDisposable } from '@lumino/disposable';
import { ISignal, Signal } from '@lumino/signaling';
import { IAgent, IHold, IPerson, Mark, PREFIX, agentIn, holdIn, personIn } from './entries.js';

/** Within which all people in a room have announced themselves to a new tab, in milliseconds. */
const ANNOUNCED = 20_000;

/**
 * The room of one notebook: its agents, and the holds that keep them from writing. All of it is in the room's awareness and
 * in its state map, which every tab and every process of nbduet sees.
 */
export class Room implements IDisposable {
  constructor(readonly panel: NotebookPanel) {
    void panel.context.ready.then(() => {
      if (this.isDisposed) {
        return;
      }
      this._model = panel.context.model.sharedModel as YNotebook;
      this._since = Date.now();
      this._model.awareness.on('change', this._seen);
      this._model.changed.connect(this._seen);
      this._seen();
    });
    panel.disposed.connect(() => this.dispose());
  }

  /** Emitted when an agent, a hold or a cell may have changed. */
  get changed(): ISignal<this, void> {
    return this._changed;
  }

  get isDisposed(): boolean {
    return this._disposed;
  }

  dispose(): void {
    this._disposed = true;
    this._model?.awareness.off('change', this._seen);
    this._model?.changed.disconnect(this._seen);
    Signal.clearData(this);
  }

  /** Whether an agent is in the room, even one that no client works with at present. */
  get occupied(): boolean {
    return this._states.some(state => agentIn(state) !== undefined);
  }

  /** The agents that clients work with, in the order of their names. */
  get agents(): IAgent[] {
    const found = this._states.map(agentIn);
    return found.filter((a): a is IAgent => !!a && a.name !== '').sort((a, b) => a.name.localeCompare(b.name));
  }

  /** The person at this tab, undefined until the room says who that is. */
  get me(): IPerson | undefined {
    return personIn(this._model?.awareness.getLocalState());
  }

  /** The holds on the notebook and its cells, the oldest first. */
  get holds(): IHold[] {
    const found = [...(this._model?.ystate.entries() ?? [])].map(([key, value]) => holdIn(key, value));
    return found.filter((h): h is IHold => !!h).sort((a, b) => a.since.getTime() - b.since.getTime());
  }

  /** The latest Stop, undefined if the agents may go on. */
  get stopped(): IHold | undefined {
    return this.holds.filter(h => h.stop).pop();
  }

  /** The holds on a cell, or with WHOLE on the notebook, without Stop. */
  on(cell: string): IHold[] {
    return this.holds.filter(h => h.cell === cell && !h.stop);
  }

  /** Keeps agents from a cell, or with WHOLE from the notebook; stop also cancels their runs. */
  hold(cell: string, stop = false): void {
    const me = this.me;
    if (me) {
      const entry = { ...me, since: new Date().toISOString() };
      // Not setState, which cannot set an object where there was none.
      this._write(state => state.set(`${PREFIX}${cell}:${me.username}`, stop ? { ...entry, stop } : entry));
    }
  }

  /**
   * Lifts this person's holds of these. If there are none, it lifts those of people who have left the room. It returns the
   * holds of the others, which remain. A tab hears of people only when they next announce themselves, at least every 15 s.
   */
  lift(holds: IHold[]): IHold[] {
    const people = this._states.map(state => personIn(state)?.username);
    const own = holds.filter(h => h.username === this.me?.username || h.suspect);
    const lifted = own.length > 0 ? own : holds.filter(h => Date.now() - this._since > ANNOUNCED && !people.includes(h.username));
    this._write(state => lifted.forEach(h => state.delete(h.key)));
    return holds.filter(h => !lifted.includes(h));
  }

  /** The index of a cell, -1 if it is not there. */
  indexOf(cell: string): number {
    return cell ? (this._model?.cells.findIndex(c => c.getId() === cell) ?? -1) : -1;
  }

  /** Sets or removes a mark in a cell's metadata, which stays in the file. */
  setMark(cell: ISharedCell | undefined, mark: Mark, on: boolean): void {
    const { [mark]: _, ...rest } = (cell?.getMetadata('nbduet') ?? {}) as Record<string, any>;
    if (on) {
      rest[mark] = { name: this.me?.name ?? '', since: new Date().toISOString() };
    }
    if (Object.keys(rest).length > 0) {
      cell?.setMetadata('nbduet', rest);
    } else {
      cell?.deleteMetadata('nbduet');
    }
  }

  /** Inserts a Markdown cell below a cell. */
  insertBelow(cell: string, source: string): void {
    this._model?.insertCell(this.indexOf(cell) + 1, { cell_type: 'markdown', source });
  }

  private _write(change: (state: YNotebook['ystate']) => void): void {
    const model = this._model;
    model?.transact(() => change(model.ystate), false);
  }

  private get _states(): unknown[] {
    return [...(this._model?.awareness.getStates().values() ?? [])];
  }

  private _seen = (): void => this._changed.emit();

  private _model?: YNotebook;
  private _disposed = false;
  private _since = 0;
  private _changed = new Signal<this, void>(this);
}
