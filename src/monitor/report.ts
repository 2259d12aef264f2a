/** Report of a run alone: a run that ends loads nothing of studies, checks and rewards. */
export { writeReport } from './report/report.ts';
export { loadReportData } from './report/run-data.ts';
