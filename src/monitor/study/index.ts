export { studySection, studyTable } from './study-page.ts';
export { studyPlot } from './study-plot.ts';
export { writeStudyPage } from './write-study-page.ts';
