/** Pages for rewards and safety checks; a run's report, the terminal display and charts have their own entry points. */
export { writeRewardPage } from './reward/reward-page.ts';
export { writeSafetyReport } from './safety/safety-page.ts';
