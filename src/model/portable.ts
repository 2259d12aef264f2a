/** The part of this room that runs in a browser too: it imports nothing of Node.js. */
export { parentOf, toolLinkOf } from './robot-defaults.ts';
export { shownCapsules } from './shown-capsules.ts';
export { wilsonInterval } from './statistics.ts';
export { counted, grouped, markdownTable, wrapText } from './text.ts';
export { zeros } from './units.ts';
