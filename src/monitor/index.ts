/** What people look at: pages of rewards and safety checks; a run's report, the terminal's display and charts have doors of their own. */
export { writeRewardPage } from './reward/reward-page.ts';
export { writeSafetyReport } from './safety/safety-page.ts';
