import { LabIcon } from '@jupyterlab/ui-components';

const icon = (name: string, path: string) =>
  new LabIcon({
    name: `nbduet:${name}`,
    svgstr: `<svg xmlns="http://www.w3.org/2000/svg" width="16" viewBox="0 0 24 24"><path class="jp-icon3" fill="#616161" d="${path}"/></svg>`
  });

/** An octagon with a bar. */
export const stopIcon = icon('stop', 'M8.3 3h7.4L21 8.3v7.4L15.7 21H8.3L3 15.7V8.3L8.3 3Zm.8 2L5 9.1v5.8L9.1 19h5.8L19 14.9V9.1L14.9 5H9.1ZM7.5 11h9v2h-9v-2Z');
/** A closed padlock. */
export const lockedIcon = icon('locked', 'M12 2a5 5 0 0 1 5 5v2h1.5A1.5 1.5 0 0 1 20 10.5v9a1.5 1.5 0 0 1-1.5 1.5h-13A1.5 1.5 0 0 1 4 19.5v-9A1.5 1.5 0 0 1 5.5 9H7V7a5 5 0 0 1 5-5Zm0 2a3 3 0 0 0-3 3v2h6V7a3 3 0 0 0-3-3Z');
/** An open padlock. */
export const openIcon = icon('open', 'M12 2a5 5 0 0 1 4.9 4h-2.1A3 3 0 0 0 9 7v2h9.5A1.5 1.5 0 0 1 20 10.5v9a1.5 1.5 0 0 1-1.5 1.5h-13A1.5 1.5 0 0 1 4 19.5v-9A1.5 1.5 0 0 1 5.5 9H7V7a5 5 0 0 1 5-5ZM6 11v8h12v-8H6Z');
