/** What people look at: pages of studies, rewards and safety checks; a run's report and the terminal's display have doors of their own. */
export { writeRewardPage } from './reward/reward-page.ts';
export { writeSafetyReport } from './safety/safety-page.ts';
export { studyTable, writeStudyPage } from './study/study-page.ts';
