/** The terminal display alone: a run in real time loads no pages, and nothing that they load. */
export { LEGEND } from './terminal/render-status.ts';
export { TerminalDisplay } from './terminal/terminal-display.ts';
