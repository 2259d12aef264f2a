/** What people look at: terminal display, report, pages of studies and safety checks. */
export { writeReport } from './report/report.ts';
export { loadReportData } from './report/run-data.ts';
export { writeSafetyReport } from './safety/safety-page.ts';
export { studyTable, writeStudyPage } from './study/study-page.ts';
export { LEGEND } from './terminal/render-status.ts';
export { TerminalDisplay } from './terminal/terminal-display.ts';
