import { ReactWidget, ToolbarButtonComponent, addToolbarButtonClass } from '@jupyterlab/ui-components';
import * as React from 'react';
import type { Room } from './room.js';

/** A toolbar's button whose look follows a room; it is hidden while look returns nothing. */
export class RoomButton extends ReactWidget {
  constructor(
    room: Room,
    private look: () => ToolbarButtonComponent.IProps | undefined
  ) {
    super();
    addToolbarButtonClass(this);
    // The browser makes a click of these keys. JupyterLab before 4.7 handles both the key and the click.
    this.node.addEventListener('keydown', event => ['Enter', ' '].includes(event.key) && event.stopPropagation(), true);
    room.changed.connect(this._follow, this);
    this._follow();
  }

  render(): JSX.Element | null {
    const props = this.look();
    return props ? <ToolbarButtonComponent {...props} /> : null;
  }

  private _follow(): void {
    const props = this.look();
    const seen = JSON.stringify([props?.label, props?.tooltip]);
    if (seen !== this._seen) {
      this._seen = seen;
      this.setHidden(!props);
      this.update();
    }
  }

  private _seen = '';
}
