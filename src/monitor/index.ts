export { loadReportData } from './report/load-report-data.ts';
export { writeReport } from './report/write-report.ts';
export { writeSafetyReport } from './safety/write-safety-report.ts';
export { curvesPage, type StudyResult, studyPlot, studyTable, writeStudyPage } from './study/index.ts';
export { LEGEND } from './terminal/render-status.ts';
export { TerminalDisplay } from './terminal/terminal-display.ts';
