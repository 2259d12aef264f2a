/** What people look at: terminal display, report, pages of studies and safety checks. */
export { loadReportData } from './report/load-report-data.ts';
export { writeReport } from './report/write-report.ts';
export { writeSafetyReport } from './safety/write-safety-report.ts';
export { studyTable } from './study/study-page.ts';
export { writeStudyPage } from './study/write-study-page.ts';
export { LEGEND } from './terminal/render-status.ts';
export { TerminalDisplay } from './terminal/terminal-display.ts';
