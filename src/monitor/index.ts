/** What people look at: report, pages of studies and safety checks; the terminal's display has a door of its own. */
export { writeReport } from './report/report.ts';
export { loadReportData } from './report/run-data.ts';
export { writeRewardPage } from './reward/reward-page.ts';
export { writeSafetyReport } from './safety/safety-page.ts';
export { studyTable, writeStudyPage } from './study/study-page.ts';
