/** Terminal display alone: a real-time run loads no pages, and nothing that pages load. */
export { LEGEND } from './terminal/render-status.ts';
export { TerminalDisplay } from './terminal/terminal-display.ts';
