/** Preloaded into a process: its wall clock is a day ahead or behind at every look. The file named by `REIN_JUMPED` tells that it was looked at. */
import { writeFileSync } from 'node:fs';

const now = Date.now;
let looks = 0;
Date.now = () => {
  if (looks++ === 1) writeFileSync(process.env.REIN_JUMPED, 'yes');
  return now() + (looks % 2 === 0 ? -1 : 1) * 86_400_000;
};
