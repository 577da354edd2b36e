import { ReactWidget } from '@jupyterlab/ui-components';
import { Signal } from '@lumino/signaling';
import * as React from 'react';
import type { IAgent } from './entries.js';
import { Follower, show } from './follow.js';
import type { Room } from './room.js';

/** The agents of the current notebook: what each does, and buttons to go there and to follow it. */
export class Status extends ReactWidget {
  constructor(private follower: Follower) {
    super();
    this.addClass('nbduet-status');
    follower.changed.connect(this.update, this);
  }

  /** Emitted when the item appears or disappears. */
  readonly activeStateChanged = new Signal<this, void>(this);

  /** Whether there is an agent to show. */
  get active(): boolean {
    return !!this._room && this._room.agents.length > 0;
  }

  /** Shows the agents of another room. */
  set room(room: Room | undefined) {
    this._room?.changed.disconnect(this._refresh, this);
    this._room = room;
    room?.changed.connect(this._refresh, this);
    this._refresh();
  }

  render(): JSX.Element {
    return <>{this._room?.agents.map(agent => this._item(this._room!, agent))}</>;
  }

  private _item(room: Room, agent: IAgent): JSX.Element {
    const index = room.indexOf(agent.cell);
    const at = index < 0 ? '' : ` cell ${index + 1}`;
    const last = agent.doing ? { ...agent, at } : this._last.get(agent.username);
    if (last) {
      this._last.set(agent.username, last);
    }
    const says = last ? `${agent.name}: ${last.doing}${last.at}${last.since ? `, ${last.since.toLocaleTimeString()}` : ''}` : `${agent.name} is in this notebook`;
    const following = this.follower.follows(agent);
    return (
      <span key={agent.username} className="nbduet-agent">
        <button title={says} onClick={() => void show(room, last?.cell ?? '')}>
          {agent.picture && <img src={agent.picture} alt="" />}
          {agent.doing ? `${agent.name}: ${agent.doing}${at}` : agent.name}
        </button>
        <button
          aria-pressed={following}
          aria-label={`Follow ${agent.name}`}
          title={`Scroll to where ${agent.name} works, until you scroll yourself`}
          onClick={() => this.follower.follow(following ? undefined : room, agent)}
        >
          Follow
        </button>
      </span>
    );
  }

  private _refresh(): void {
    const active = this.active;
    this.update();
    this.setHidden(!active);
    if (active !== this._shown) {
      this._shown = active;
      this.activeStateChanged.emit();
    }
  }

  private _room?: Room;
  private _shown = false;
  private _last = new Map<string, IAgent & { at: string }>();
}
