export { curvesPage, type StudyResult } from './curves-page.ts';
export { studyTable } from './study-page.ts';
export { studyPlot } from './study-plot.ts';
export { writeStudyPage } from './write-study-page.ts';
